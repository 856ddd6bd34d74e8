import type { components } from '../../generated/schema';

export type ErrorGroup = components['schemas']['ErrorGroupItem'];

/** toolsFirst moves groups of failing tools to the front: their owner can mend them. */
export function toolsFirst(groups: ErrorGroup[]): ErrorGroup[] {
  const failing = (g: ErrorGroup) => g.service === 'tool' && g.level === 'error';
  return [...groups.filter(failing), ...groups.filter((g) => !failing(g))];
}
