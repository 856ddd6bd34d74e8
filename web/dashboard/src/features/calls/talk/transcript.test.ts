import { describe, expect, test } from 'vitest';
import { answerEnds, turnsBegun, withLine } from './transcript';

describe('transcript', () => {
  test('answers belong to the turns before them, the greeting to none', () => {
    const said = (segment: string, mine: boolean) => ({ segment, mine, text: segment, final: true });
    const lines = [
      said('greeting', false),
      said('one', true),
      said('more of one', true),
      said('answer', false),
      said('rest of it', false),
      said('two', true),
    ];
    expect(turnsBegun(lines)).toBe(2);
    expect([...answerEnds(lines)]).toEqual([['rest of it', 1]]);
    expect([...answerEnds([...lines, said('second', false)])]).toEqual([
      ['rest of it', 1],
      ['second', 2],
    ]);
  });
  const line = { segment: '1', mine: true, text: 'when', final: false };
  test('a segment grows in its place', () => {
    const two = withLine(withLine([], line), { ...line, segment: '2' });
    expect(withLine(two, { ...line, text: 'when do', final: true }).map((l) => l.text)).toEqual(['when do', 'when']);
  });
  test('what was nothing after all goes', () =>
    expect(withLine([line], { ...line, text: '', final: true })).toEqual([]));
});
