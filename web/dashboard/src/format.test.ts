import { expect, test } from 'vitest';
import { money, duration, milliseconds } from './format';

test('durations and latencies', () => {
  expect([duration(65), duration(3725), duration(null), milliseconds(80.4), milliseconds(1234)]).toEqual([
    '1:05',
    '1:02:05',
    '–',
    '80 ms',
    '1.23 s',
  ]);
});

test('money', () => {
  expect(money(undefined)).toBe('–');
  expect(money({ total: '0.0041402', known: '0.0041402', currency: 'USD' })).toBe('$0.00414');
  expect(money({ total: '12.5', known: '12.5', currency: 'USD' })).toBe('$12.50');
  expect(money({ total: null, known: '0', currency: 'USD' })).toBe('$0.00 + ?');
});
