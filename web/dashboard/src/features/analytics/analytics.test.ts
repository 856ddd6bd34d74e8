import { expect, test } from 'vitest';
import { csv } from '../../csv';
import { change, compared, success, today } from './range';

test('a period is compared with the one before', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  expect(compared('24h', undefined, undefined, now)).toEqual({
    now: { started_after: '2026-11-21T12:00:00.000Z', started_before: undefined },
    before: { started_after: '2026-11-20T12:00:00.000Z', started_before: '2026-11-21T12:00:00.000Z' },
    interval: 'hour',
  });
  expect(compared('7d', undefined, undefined, now)?.interval).toBe('day');
  const custom = compared('custom', '2026-01-01T00:00Z', '2026-01-03T00:00Z', now);
  expect([custom?.before.started_after, custom?.now.started_before]).toEqual([
    '2025-12-30T00:00:00.000Z',
    '2026-01-03T00:00:00.000Z',
  ]);
  expect(compared('custom', '2026-01-03T00:00Z', '2026-01-01T00:00Z', now)).toBeUndefined();
});

test('today is compared with yesterday up to the same time', () => {
  const { now, before } = today(new Date(2026, 10, 22, 9, 30));
  expect([
    new Date(now.started_after).getHours(),
    new Date(before.started_after).getDate(),
    new Date(before.started_before ?? '').getHours(),
  ]).toEqual([0, 21, 9]);
});

test('changes in percent', () =>
  expect([change(3, 2), change(1, 2), change(2, 2), change(2, 0)]).toEqual(['+50 %', '−50 %', '±0 %', undefined]));

test('CSV quotes what needs it, and no cell is a formula', () =>
  expect(
    csv([
      ['a,b', 'say "x"', 1, null],
      ['=1+1', '-5', -5, '+49 30'],
    ]),
  ).toBe('"a,b","say ""x""",1,\r\n\'=1+1,\'-5,-5,\'+49 30\r\n'));

test.each([
  ['x;=1+1', '"x;\'=1+1"'],
  ['x;"=1+1', '"x;""\'=1+1"'],
  ['x\t@SUM(A1)', '"x\t\'@SUM(A1)"'],
  ['x\n -1', '"x\n \'-1"'],
  ['\t=1', '"\t\'=1"'],
  ['\uFF1D1+1', "'\uFF1D1+1"],
  ['it costs 5-6 = a lot; so @home', '"it costs 5-6 = a lot; so @home"'],
  ['a; b', '"a; b"'],
])('%j is no formula in any spreadsheet', (text, cell) => expect(csv([[text]])).toBe(`${cell}\r\n`));

test('open calls have no success yet', () => {
  expect(success({ total_calls: 3, completed_calls: 1, active_calls: 2 })).toBe('100 %');
  expect(success({ total_calls: 4, completed_calls: 2, active_calls: 1 })).toBe('66.7 %');
  expect(success({ total_calls: 2, completed_calls: 0, active_calls: 2 })).toBeUndefined();
});
