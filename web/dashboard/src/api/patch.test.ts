import { expect, test } from 'vitest';
import { formPath, mergePatch, withoutEmpty } from './patch';

test('what was not filled in is left out', () => {
  expect(withoutEmpty({ a: '', b: null, c: { d: '' }, e: [], f: 0, g: false, h: [{ i: '', j: 1 }] })).toEqual({
    f: 0,
    g: false,
    h: [{ j: 1 }],
  });
});
test('a merge patch removes, changes and keeps', () => {
  expect(mergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { b: { c: 1, d: 3 }, e: [2], f: 4 })).toEqual({
    a: null,
    b: { d: 3 },
    e: [2],
    f: 4,
  });
  expect(mergePatch({ a: { b: 1 } }, { a: { b: 1 } })).toEqual({});
});
test('fields of errors are named as in the form', () =>
  expect(formPath('config.handoffs[2].target_agent')).toBe('config.handoffs.2.target_agent'));
