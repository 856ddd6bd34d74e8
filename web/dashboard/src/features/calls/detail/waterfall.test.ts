import { describe, expect, test } from 'vitest';
import { longest, spans } from './waterfall';

describe('waterfall', () => {
  const turn = {
    endpointing_ms: 300,
    stt_latency_ms: 220,
    llm_latency_ms: 200,
    tts_latency_ms: 100,
    voice_to_voice_ms: 520,
  };
  test('the answer ends at the first sound, and begins no sooner than its transcript', () => {
    expect(spans(turn)).toEqual([
      { part: 'endpointing', from: 0, to: 300 },
      { part: 'stt', from: 0, to: 220 },
      { part: 'llm', from: 220, to: 420 },
      { part: 'tts', from: 420, to: 520 },
    ]);
  });
  test('what was not measured is not drawn', () => expect(spans({})).toEqual([]));
  test('the axis fits all', () => expect(longest([turn, { voice_to_voice_ms: 900 }])).toBe(900));
});
