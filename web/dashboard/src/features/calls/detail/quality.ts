import type { components } from '../../../generated/schema';
import { callTexts } from '../texts';

const t = callTexts.quality;
type Quality = components['schemas']['Quality'];
type Direction = components['schemas']['DirectionQuality'];

const unknown = '–';

/** loss is the part of the packets that was lost, in percent. */
export function loss({ packets, packets_lost: lost }: Direction): string {
  if (lost == null || packets <= 0) return unknown;
  return `${Math.min(100, (100 * lost) / packets).toFixed(1)} %`;
}

/** figures are the rows of a call's quality: a name, and its value for both directions or one for the call. */
export function figures(q: Quality): [name: string, received: string, sent?: string][] {
  const each = (name: string, of: (d: Direction) => string): [string, string, string] => [
    name,
    of(q.received),
    of(q.sent),
  ];
  return [
    each(t.mos, (d) => (d.mos == null ? unknown : d.mos.toFixed(1))),
    each(t.loss, loss),
    each(t.jitter, (d) => (d.jitter_ms == null ? unknown : `${d.jitter_ms.toFixed(1)} ms`)),
    each(t.packets, (d) => String(d.packets)),
    [t.roundTrip, q.round_trip_ms == null ? unknown : `${Math.round(q.round_trip_ms)} ms`],
    [t.codec, q.codec || unknown],
  ];
}
