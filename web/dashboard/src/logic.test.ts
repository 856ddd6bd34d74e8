import { describe, expect, test } from 'vitest';
import { isFresh } from './api/session';
import { filledIn } from './features/agents/draft';
import { formPath, mergePatch, withoutEmpty } from './api/patch';
import { duration, milliseconds } from './format';
import { answerEnds, turnsBegun, withLine } from './features/calls/talk/transcript';
import { longest, spans } from './features/calls/detail/waterfall';

describe('config', () => {
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
  test('an end key of none is no empty field', () => {
    // An emptied field for a number holds a text.
    expect(filledIn(JSON.parse('{"dtmf": {"end": "", "max_digits": ""}}'))).toEqual({ dtmf: { end: '' } });
    expect(filledIn({ prompt: { system: '' }, dtmf: {}, turn: {} })).toEqual({});
  });
  test('fields of errors are named as in the form', () =>
    expect(formPath('config.handoffs[2].target_agent')).toBe('config.handoffs.2.target_agent'));
});

describe('waterfall', () => {
  const turn = {
    endpointing_ms: 300,
    stt_latency_ms: 220,
    llm_latency_ms: 200,
    tts_latency_ms: 100,
    voice_to_voice_ms: 520,
  };
  test('the answer ends at the first sound, and begins no sooner than its transcript', () => {
    expect(spans(turn)).toEqual([
      { part: 'endpointing', from: 0, to: 300 },
      { part: 'stt', from: 0, to: 220 },
      { part: 'llm', from: 220, to: 420 },
      { part: 'tts', from: 420, to: 520 },
    ]);
  });
  test('what was not measured is not drawn', () => expect(spans({})).toEqual([]));
  test('the axis fits all', () => expect(longest([turn, { voice_to_voice_ms: 900 }])).toBe(900));
});

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

test('durations and latencies', () => {
  expect([duration(65), duration(3725), duration(null), milliseconds(80.4), milliseconds(1234)]).toEqual([
    '1:05',
    '1:02:05',
    '–',
    '80 ms',
    '1.23 s',
  ]);
});

test('a renewal of another tab counts if it is later than the request', () => {
  expect([isFresh('20', 10), isFresh('5', 10), isFresh(null, 10), isFresh('x', 10)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
