import type { Range } from './api';

const hour = 3_600_000;
const day = 24 * hour;
const lengths: Record<string, number> = { '24h': day, '7d': 7 * day, '30d': 30 * day };

export interface Compared {
  now: Range;
  before: Range;
  interval: 'hour' | 'day' | 'week';
}

/** today is the present day up to now, and yesterday up to the same time. */
export function today(now: Date): Compared {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  const yesterday = new Date(start);
  yesterday.setDate(yesterday.getDate() - 1);
  const then = new Date(yesterday.getTime() + (now.getTime() - start.getTime()));
  return {
    now: { started_after: start.toISOString() },
    before: { started_after: yesterday.toISOString(), started_before: then.toISOString() },
    interval: 'hour',
  };
}

/** compared is a period, or the range of two local times, and the time of the same length before; nothing if it ends before it begins. */
export function compared(
  period: string,
  from: string | undefined,
  to: string | undefined,
  now: number,
): Compared | undefined {
  const custom = period === 'custom' && from;
  const end = custom && to ? Date.parse(to) : now;
  const start = custom ? Date.parse(from) : now - (lengths[period] ?? day);
  const length = end - start;
  if (!(length > 0)) return undefined;
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    now: { started_after: at(start), started_before: custom && to ? at(end) : undefined },
    before: { started_after: at(start - length), started_before: at(start) },
    interval: length <= 2 * day ? 'hour' : length <= 120 * day ? 'day' : 'week',
  };
}

interface Outcomes {
  total_calls: number;
  completed_calls: number;
  active_calls: number;
}

/** success writes how many of the ended calls were completed, in percent with one decimal; undefined while all are open. */
export function success({ total_calls, completed_calls, active_calls }: Outcomes): string | undefined {
  const ended = total_calls - active_calls;
  return ended > 0 ? `${Math.round((completed_calls / ended) * 1000) / 10} %` : undefined;
}

/** change writes how much more or less than before something is, in percent. */
export function change(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = Math.round(((now - before) / before) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`;
}
