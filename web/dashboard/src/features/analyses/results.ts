import type { Result } from './api';

/** A count is how many calls have an answer, and the filter of the list of calls that finds them. */
export interface Count {
  value: string;
  calls: number;
  /** The share of the most frequent answer, for a bar. */
  share: number;
  filter: string;
}

const numeric = (value: string) => /^\d+$/.test(value);
export const isData = (name: string) => name.startsWith('data.');
export const isScore = ({ name, average }: Result) => !isData(name) && average !== null;

/** countsOf are the answers to a criterion in their order: yes, no, unknown, or the scores from 0 to 10; of data, the most frequent first. */
export function countsOf(analysis: string, result: Result): Count[] {
  const { name, answers } = result;
  const found = new Map(answers.map((a) => [a.value, a.calls]));
  const scores = isScore(result);
  const listed = isData(name)
    ? answers.map((a) => a.value)
    : scores
      ? [...Array.from({ length: 11 }, (_, i) => String(i)), ...(found.has('unknown') ? ['unknown'] : [])]
      : ['yes', 'no', 'unknown'];
  const most = Math.max(1, ...found.values());
  return listed.map((value) => ({
    value,
    calls: found.get(value) ?? 0,
    share: (found.get(value) ?? 0) / most,
    // A score that is counted as 9 is 8.5 or more, and less than 9.5.
    filter: `${analysis}.${name}=${scores && numeric(value) ? `${Math.max(0, Number(value) - 0.5)}..${Number(value) + 0.499}` : value}`,
  }));
}

/** shareOf is how high a result is, from 0 to 1: the share of yes, or the average of ten; undefined without any. */
export function shareOf({ name, yes_share, average }: Result): number | undefined {
  if (isData(name)) return undefined;
  if (yes_share !== null) return yes_share / 100;
  return average === null ? undefined : average / 10;
}

const day = 86_400_000;

/** daysOf are the results of a criterion by day, from the first day of a range to the last one (UTC). */
export function daysOf(results: Result[], name: string, from: string, to: number): { day: string; share?: number }[] {
  const byDay = new Map(results.filter((r) => r.name === name).map((r) => [r.group, shareOf(r)]));
  const days = [];
  for (let at = Math.floor(Date.parse(from) / day) * day; at <= to; at += day) {
    const name = new Date(at).toISOString().slice(0, 10);
    days.push({ day: name, share: byDay.get(name) });
  }
  return days;
}
