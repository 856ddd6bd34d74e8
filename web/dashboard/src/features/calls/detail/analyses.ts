import type { CallAnalysis } from '../api';
import { analysesTexts } from './analysesTexts';

const t = analysesTexts;

export type Answer = CallAnalysis['criteria'][number];

/** stateText is the sentence on an analysis that is not done; undefined for one that is. */
export function stateText(a: CallAnalysis): string | undefined {
  if (a.status === 'done') return undefined;
  if (a.reason) return t.reasons[a.status]?.[a.reason] ?? `${t.states[a.status]}: ${a.reason.replaceAll('_', ' ')}.`;
  return t.waiting;
}

/** answerText is the answer to a criterion, as one or two words. */
export function answerText(answer: Answer): string {
  if (answer.score !== undefined) return t.score(answer.score);
  return t.answers[answer.answer ?? 'unknown'];
}

/** values are the fields of filled data, those that are objects or lists as JSON. */
export function values(data: Record<string, unknown>): { name: string; text: string; json: boolean }[] {
  return Object.entries(data).map(([name, value]) => {
    const json = value !== null && typeof value === 'object';
    return { name, text: json ? JSON.stringify(value, null, 2) : String(value ?? t.empty), json };
  });
}
