import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { may, me } from '../../../api/me';
import { timeline } from '../api';
import type { Entry } from '../detail/turns';
import { milliseconds } from '../../../format';
import { talkTexts } from '../texts';
import { type Line, turnsBegun } from './transcript';

const t = talkTexts;

/** Notes are what the timeline has of a turn of a live call. */
export interface Notes {
  latency?: number;
  tools: Entry[];
}

/**
 * useTurnNotes reads the timeline of a call every second while it is live, and returns the notes of its turns, by their number.
 * Tools belong to the turn during which they appear: that of a turn is in the timeline only when its answer has ended.
 */
export function useTurnNotes(callID: string | undefined, live: boolean, lines: Line[]): Map<number, Notes> {
  const reads = may(useQuery(me).data?.scopes, 'calls:read');
  const found = useQuery({
    ...timeline(callID ?? ''),
    enabled: Boolean(callID) && reads,
    refetchInterval: live ? 1000 : false,
  });
  const { refetch } = found;
  useEffect(() => {
    if (live || !callID || !reads) return;
    const timer = setTimeout(() => void refetch(), 1000); // the last turn is written when the call ends
    return () => clearTimeout(timer);
  }, [live, callID, reads, refetch]);
  const placed = useRef({ callID, turns: [] as number[] });
  if (placed.current.callID !== callID) placed.current = { callID, turns: [] };
  const entries = found.data ?? [];
  const notes = new Map<number, Notes>();
  const of = (turn: number) => {
    if (!notes.has(turn)) notes.set(turn, { tools: [] });
    return notes.get(turn) as Notes;
  };
  entries.filter((e) => e.type === 'turn').forEach((e, i) => (of(i + 1).latency = e.voice_to_voice_ms ?? undefined));
  entries
    .filter((e) => e.type === 'tool_call')
    .forEach((e, i) => of((placed.current.turns[i] ??= turnsBegun(lines))).tools.push(e));
  return notes;
}

/** TurnNotes shows the tools that a turn called, and after how long it was answered. */
export function TurnNotes({ notes }: { notes?: Notes }) {
  if (!notes || (notes.latency === undefined && notes.tools.length === 0)) return null;
  return (
    <div className="bubble-notes">
      {notes.tools.map((e, i) => (
        <span key={i} className="chip">
          <span className="moment tool_call" />
          {t.tool(e.name ?? '', e.duration_ms ? milliseconds(e.duration_ms) : '')}
        </span>
      ))}
      {notes.latency !== undefined && <span className="numbers">{t.answered(milliseconds(notes.latency))}</span>}
    </div>
  );
}
