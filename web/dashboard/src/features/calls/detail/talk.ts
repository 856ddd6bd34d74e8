import type { components } from '../../../generated/schema';
import { callTexts as t } from '../texts';

type Metrics = components['schemas']['MetricsBody'];

/** talkFacts are the names and values of the conversation's metrics; empty for a call that has none. */
export function talkFacts(m: Metrics): [string, string][] {
  const whole = (n: number | null) => (n === null ? '–' : String(Math.round(n)));
  if (m.interruptions === null) return [];
  return [
    [t.silence, m.silence_ratio === null ? '–' : `${Math.round(m.silence_ratio * 100)} %`],
    [t.longestWait, m.longest_wait_ms === null ? '–' : `${(m.longest_wait_ms / 1000).toFixed(1)} s`],
    [t.interruptions, whole(m.interruptions)],
    [t.repeated, t.ofBoth(whole(m.caller_repeated_questions), whole(m.agent_repeated_questions))],
    [t.wordsPerMinute, t.ofBoth(whole(m.caller_words_per_minute), whole(m.agent_words_per_minute))],
    [t.failedTools, whole(m.failed_tools)],
  ];
}
