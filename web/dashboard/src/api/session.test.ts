import { expect, test } from 'vitest';
import { isFresh } from './session';

test('a renewal of another tab counts if it is later than the request', () => {
  expect([isFresh('20', 10), isFresh('5', 10), isFresh(null, 10), isFresh('x', 10)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
