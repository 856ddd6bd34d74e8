import { describe, expect, test } from 'vitest';
import type { Analysis } from './api';
import { bodyOf, draftOf, patchOf, schemaOf } from './draft';
import { placeOf } from './pointer';

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
