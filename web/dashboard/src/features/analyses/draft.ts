import { mergePatch, withoutEmpty } from '../../api/patch';
import type { Analysis, AnalysisVersion, Criterion } from './api';

/** Draft is an analysis as the editor holds it: the schema is a text, empty for none, and so are numbers that are not given. */
export interface Draft extends Record<string, unknown> {
  name: string;
  description: string;
  instructions: string;
  schema: string;
  criteria: Criterion[];
  conditions: {
    min_duration_seconds: number | '';
    min_turns: number | '';
    reasons: string[];
    answered_by: string[];
  };
  llm: NonNullable<Analysis['llm']>;
}

/** draftOf is an analysis in the editor; without one, a new one with a criterion to fill in. */
export function draftOf(a?: Analysis): Draft {
  return {
    name: a?.name ?? '',
    description: a?.description ?? '',
    instructions: a?.instructions ?? '',
    schema: a?.schema ? JSON.stringify(a.schema, null, 2) : '',
    criteria: a?.criteria ?? [{ name: '', question: '' }],
    conditions: {
      min_duration_seconds: a?.conditions.min_duration_seconds ?? '',
      min_turns: a?.conditions.min_turns ?? '',
      reasons: a?.conditions.reasons ?? [],
      answered_by: a?.conditions.answered_by ?? [],
    },
    llm: a?.llm ?? { provider: '', model: '' },
  };
}

/** schemaOf is the schema of a text: null for an empty one, undefined for what is no JSON object. */
export function schemaOf(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const schema: unknown = JSON.parse(text);
    return schema !== null && typeof schema === 'object' && !Array.isArray(schema)
      ? (schema as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** bodyOf is what a draft has beside its name, without what is not given. Criteria stay as they are: the API says what they lack. */
export function bodyOf({ description, instructions, schema, criteria, conditions, llm }: Draft) {
  const filled = withoutEmpty({ description, instructions, conditions, llm }) as Partial<Analysis>;
  return { ...filled, criteria, schema: schemaOf(schema) ?? undefined };
}

/** patchOf is the change of an analysis; a schema is replaced as a whole. */
export function patchOf(before: Draft, after: Draft) {
  const { schema, ...rest } = bodyOf(after);
  const { schema: old, ...was } = bodyOf(before);
  const changes = mergePatch(was, rest);
  return JSON.stringify(old) === JSON.stringify(schema) ? changes : { ...changes, schema: schema ?? null };
}

/** parts are the texts by which versions are compared, by the field's name. */
export function parts(
  v: Analysis | AnalysisVersion,
): Record<'description' | 'instructions' | 'criteria' | 'schema' | 'conditions' | 'llm', string> {
  const json = (value: unknown) => JSON.stringify(value ?? null, null, 2);
  return {
    description: v.description ?? '',
    instructions: v.instructions,
    criteria: json(v.criteria),
    schema: json(v.schema),
    conditions: json(v.conditions),
    llm: json(v.llm),
  };
}
