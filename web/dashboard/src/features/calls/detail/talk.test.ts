import { expect, test } from 'vitest';
import type { components } from '../../../generated/schema';
import { talkFacts } from './talk';

const unknown = {
  duration_seconds: 12,
  stt_latency_ms: 0,
  llm_latency_ms: 0,
  tts_latency_ms: 0,
  total_tokens: 0,
  agent_handoffs: 0,
  silence_ratio: null,
  interruptions: null,
  longest_wait_ms: null,
  agent_repeated_questions: null,
  caller_repeated_questions: null,
  failed_tools: null,
  caller_words_per_minute: null,
  agent_words_per_minute: null,
} satisfies components['schemas']['MetricsBody'];

test('a call of which nothing was measured has no figures', () => expect(talkFacts(unknown)).toEqual([]));

test('what is not known is no zero', () =>
  expect(
    talkFacts({
      ...unknown,
      interruptions: 0,
      failed_tools: 1,
      agent_repeated_questions: 2,
      silence_ratio: 0.314,
      agent_words_per_minute: 140.6,
    }).map(([, value]) => value),
  ).toEqual(['31 %', '–', '0', '– caller, 2 agent', '– caller, 141 agent', '1']));
