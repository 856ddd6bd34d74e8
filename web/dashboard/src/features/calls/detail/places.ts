import type { Entry } from './turns';
import { type Part, step } from './waveform';

/** Place is where a part of a recording lies in the call, both in seconds. */
export interface Place {
  part: Part;
  at: number;
  /** Where the part begins in the file as players count. */
  inFile: number;
}

/** length is how long a part is, in seconds. */
export const length = (part: Part) => part.caller.length * step;

/** placesOf puts the parts of a recording where they belong: the first at the beginning, each further one where another worker took the call over. */
export function placesOf(parts: Part[], entries: Entry[], started: number): Place[] {
  const takeovers = entries
    .filter((e) => e.type === 'taken_over')
    .map((e) => (Date.parse(e.timestamp) - started) / 1000);
  let inFile = 0;
  let end = 0;
  return parts.map((part, i) => {
    const at = i === 0 ? 0 : Math.max(end, takeovers[i - 1] ?? end);
    const place = { part, at, inFile: inFile - part.skipped };
    inFile += length(part) - part.skipped;
    end = at + length(part);
    return place;
  });
}

/** inFile is where a time of the call is in the file, in seconds. */
export function inFile(places: Place[], at: number): number {
  const place = places.findLast((p) => p.at <= at) ?? places[0];
  return Math.max(0, place ? place.inFile + at - place.at : at);
}

/** inCall is where a time of the file is in the call. */
export function inCall(places: Place[], at: number): number {
  const place = places.findLast((p) => p.inFile <= at) ?? places[0];
  return Math.max(0, place ? place.at + at - place.inFile : at);
}
