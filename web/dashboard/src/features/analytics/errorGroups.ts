import type { components } from '../../generated/schema';

type Item = components['schemas']['ErrorLogItem'];

/** Entries of the error log with the same cause, and the newest of them. */
export interface ErrorGroup {
  newest: Item;
  count: number;
  first: string;
}

/** errorsGrouped groups entries, the newest first, by service, severity, agent and message; groups are in the order of their newest. */
export function errorsGrouped(items: Item[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const item of items) {
    const key = JSON.stringify([item.service, item.level, item.agent, item.message]);
    const group = groups.get(key);
    if (group) {
      group.count++;
      group.first = item.timestamp;
    } else {
      groups.set(key, { newest: item, count: 1, first: item.timestamp });
    }
  }
  return [...groups.values()];
}

/** toolsFirst moves groups of failing tools to the front: their owner can mend them. */
export function toolsFirst(groups: ErrorGroup[]): ErrorGroup[] {
  const failing = (g: ErrorGroup) => g.newest.service === 'tool' && g.newest.level === 'error';
  return [...groups.filter(failing), ...groups.filter((g) => !failing(g))];
}
