import { expect, test } from 'vitest';
import { diffLines } from './diff';

const marks = { same: ' ', added: '+', removed: '-' };
const written = (before: string, after: string) => diffLines(before, after).map((l) => marks[l.kind] + l.text);

test('differences keep what is common and are the shortest', () => {
  expect(written('a\nb\nc', 'a\nc\nd')).toEqual([' a', '-b', ' c', '+d']);
  expect(written('a\nb', 'a\nb')).toEqual([' a', ' b']);
  expect(written('', 'a')).toEqual(['+a']);
  expect(written('a', '')).toEqual(['-a']);
  expect(written('a', 'b')).toEqual(['-a', '+b']);
});
