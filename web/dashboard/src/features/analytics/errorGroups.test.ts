import { expect, test } from 'vitest';
import { toolsFirst } from './errorGroups';

const group = (service: 'llm' | 'tool', message: string, level: 'error' | 'warning' = 'error') => ({
  service,
  level,
  message,
  agent: 'desk',
  count: 2,
  first_at: '2026-11-26T12:00:00Z',
  last_at: '2026-11-26T12:00:05Z',
  call_id: '01a0f3d0-7a52-7cc0-9f0a-6a3c1d2e4f50',
});

test('failing tools are before the others, which keep their order', () => {
  const groups = [
    group('llm', 'timed out'),
    group('tool', 'slow', 'warning'),
    group('tool', 'answered with status 500'),
  ];
  expect(toolsFirst(groups).map((g) => g.message)).toEqual(['answered with status 500', 'timed out', 'slow']);
});
