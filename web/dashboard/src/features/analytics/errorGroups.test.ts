import { expect, test } from 'vitest';
import { errorsGrouped, toolsFirst } from './errorGroups';

const item = (id: string, service: 'llm' | 'tool', message: string, level: 'error' | 'warning' = 'error') => ({
  id,
  call_id: `call-${id}`,
  timestamp: `2026-11-26T12:00:0${id}Z`,
  service,
  level,
  message,
  details: {},
  agent: 'desk',
});

test('errors of one cause are one group, with their number, the first and the newest', () => {
  const groups = errorsGrouped([
    item('5', 'llm', 'timed out'),
    item('4', 'tool', 'answered with status 500'),
    item('3', 'llm', 'timed out', 'warning'),
    item('2', 'tool', 'answered with status 500'),
    item('1', 'tool', 'answered with status 500'),
  ]);
  expect(groups.map((g) => [g.newest.id, g.count, g.first])).toEqual([
    ['5', 1, '2026-11-26T12:00:05Z'],
    ['4', 3, '2026-11-26T12:00:01Z'],
    ['3', 1, '2026-11-26T12:00:03Z'],
  ]);
  expect(toolsFirst(groups).map((g) => g.newest.id)).toEqual(['4', '5', '3']);
});
