/** Latencies of a turn, as the timeline has them. */
export interface Turn {
  endpointing_ms?: number | null;
  stt_latency_ms?: number | null;
  llm_latency_ms?: number | null;
  tts_latency_ms?: number | null;
  voice_to_voice_ms?: number | null;
}

export interface Span {
  part: 'endpointing' | 'stt' | 'llm' | 'tts';
  from: number;
  to: number;
}

/**
 * spans places the parts of a turn on one axis, in milliseconds from the caller's last sound. The recogniser works while
 * the end of the utterance is awaited. The answer is prepared as soon as there is a transcript, so that its parts end at
 * the agent's first sound.
 */
export function spans(turn: Turn): Span[] {
  const found: Span[] = [];
  const add = (part: Span['part'], from: number, length: number | null | undefined) => {
    if (length != null && length > 0) found.push({ part, from: Math.max(0, from), to: Math.max(0, from) + length });
  };
  add('endpointing', 0, turn.endpointing_ms);
  add('stt', 0, turn.stt_latency_ms);
  const answer = (turn.llm_latency_ms ?? 0) + (turn.tts_latency_ms ?? 0);
  const end = turn.voice_to_voice_ms ?? Math.max(turn.endpointing_ms ?? 0, (turn.stt_latency_ms ?? 0) + answer);
  const begin = Math.max(turn.stt_latency_ms ?? 0, end - answer);
  add('llm', Math.min(begin, end), turn.llm_latency_ms);
  add('tts', Math.min(begin, end) + (turn.llm_latency_ms ?? 0), turn.tts_latency_ms);
  return found;
}

/** longest is the length of the axis that all turns fit on. */
export function longest(turns: Turn[]): number {
  return Math.max(1, ...turns.flatMap((t) => [t.voice_to_voice_ms ?? 0, ...spans(t).map((s) => s.to)]));
}
