import { describe, expect, test } from 'vitest';
import type { Analysis, Result } from './api';
import { bodyOf, draftOf, patchOf, schemaOf } from './draft';
import { placeOf } from './pointer';
import { countsOf, daysOf, shareOf } from './results';

const saved: Analysis = {
  id: '1',
  name: 'outcome',
  description: null,
  instructions: 'Terms.',
  schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
  criteria: [{ name: 'booked', question: 'Booked?' }],
  conditions: { min_turns: 2 },
  llm: { provider: 'offline', model: 'scripted' },
  version: 1,
  created_at: '',
  updated_at: '',
};

describe('the editor', () => {
  test('sends what is given', () => {
    expect(bodyOf({ ...draftOf(), criteria: [] })).toEqual({ criteria: [], schema: undefined });
    expect(bodyOf(draftOf(saved))).toEqual({
      instructions: 'Terms.',
      schema: saved.schema,
      criteria: saved.criteria,
      conditions: { min_turns: 2 },
      llm: saved.llm,
    });
  });
  test('changes only what was changed, and the schema as a whole', () => {
    const draft = draftOf(saved);
    expect(patchOf(draft, draft)).toEqual({});
    expect(patchOf(draft, { ...draft, schema: '{"type": "object"}' })).toEqual({ schema: { type: 'object' } });
    expect(patchOf(draft, { ...draft, schema: ' ', instructions: '', llm: { provider: '', model: '' } })).toEqual({
      schema: null,
      instructions: null,
      llm: null,
    });
  });
  test('takes JSON objects as schemas', () => {
    expect(['', '{"type":"object"}', '[]', '{'].map(schemaOf)).toEqual([
      null,
      { type: 'object' },
      undefined,
      undefined,
    ]);
  });
});

test('a path leads to its part of a JSON text', async () => {
  const text = '{\n  "properties": {\n    "a.b": {"oneOf": [{"type": "x"}]}\n  }\n}';
  const at = async (path: string) => {
    const place = await placeOf(text, path);
    return place && text.slice(...place);
  };
  expect(await at('properties.a.b.oneOf')).toBe('"oneOf": [{"type": "x"}]');
  expect(await at('properties.a.b.oneOf.0.type')).toBe('"type": "x"');
  expect(await at('properties.a.b.items')).toBe('"a.b": {"oneOf": [{"type": "x"}]}');
  expect(await at('none')).toBe(text);
});

describe('results', () => {
  const of = (fields: Partial<Result>): Result => ({
    group: '',
    name: 'booked',
    calls: 4,
    yes_share: 75,
    average: null,
    answers: [
      { value: 'yes', calls: 3 },
      { value: 'no', calls: 1 },
    ],
    ...fields,
  });
  const polite = of({ name: 'polite', yes_share: null, average: 8.5, answers: [{ value: '9', calls: 2 }] });
  const service = of({ name: 'data.service', yes_share: null, answers: [{ value: 'cleaning', calls: 2 }] });
  test('are counted in the order of the answers, with the filter that finds their calls', () => {
    expect(countsOf('outcome', of({})).map((c) => [c.value, c.calls, c.filter])).toEqual([
      ['yes', 3, 'outcome.booked=yes'],
      ['no', 1, 'outcome.booked=no'],
      ['unknown', 0, 'outcome.booked=unknown'],
    ]);
    const scores = countsOf('outcome', polite);
    expect(scores).toHaveLength(11);
    expect(scores[9]).toEqual({ value: '9', calls: 2, share: 1, filter: 'outcome.polite=8.5..9.499' });
    expect(scores[0]?.filter).toBe('outcome.polite=0..0.499');
    expect(countsOf('outcome', service).map((c) => c.filter)).toEqual(['outcome.data.service=cleaning']);
  });
  test('have a course by day, with the days without calls', () => {
    expect([of({}), polite, service].map(shareOf)).toEqual([0.75, 0.85, undefined]);
    expect(
      daysOf([of({ group: '2026-11-02' })], 'booked', '2026-11-01T23:00:00Z', Date.parse('2026-11-03T01:00:00Z')),
    ).toEqual([
      { day: '2026-11-01', share: undefined },
      { day: '2026-11-02', share: 0.75 },
      { day: '2026-11-03', share: undefined },
    ]);
  });
});
