import { expect, test } from 'vitest';
import { duration, milliseconds } from './format';

test('durations and latencies', () => {
  expect([duration(65), duration(3725), duration(null), milliseconds(80.4), milliseconds(1234)]).toEqual([
    '1:05',
    '1:02:05',
    '–',
    '80 ms',
    '1.23 s',
  ]);
});
