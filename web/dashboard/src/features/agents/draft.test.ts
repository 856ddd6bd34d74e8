import { expect, test } from 'vitest';
import { filledIn } from './draft';

test('an end key of none is no empty field', () => {
  // An emptied field for a number holds a text.
  expect(filledIn(JSON.parse('{"dtmf": {"end": "", "max_digits": ""}}'))).toEqual({ dtmf: { end: '' } });
  expect(filledIn({ prompt: { system: '' }, dtmf: {}, turn: {} })).toEqual({});
});
