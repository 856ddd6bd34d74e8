import { isObject } from '../../api/patch';
import type { components } from '../../generated/schema';

export type AnswerDetection = components['schemas']['AnswerDetection'];
export type AnswerAction = components['schemas']['AnswerAction'];

/** actionFields are the fields that each action has beside do. */
export const actionFields: Record<AnswerAction['do'], readonly string[]> = {
  continue: [],
  end: [],
  leave_message: ['text', 'after', 'max_wait_ms'],
  identify: ['name', 'purpose'],
  navigate: ['goal', 'max_presses', 'max_s'],
};

const ofActions = Object.values(actionFields).flat();

/**
 * withAction is the actions by class with another one for a class. It keeps none of the fields of the action before, but those that
 * the form does not know. No entry means to continue.
 */
export function withAction(
  actions: AnswerDetection['actions'],
  of: string,
  chosen: AnswerAction['do'],
): Record<string, AnswerAction> {
  const { [of]: before, ...others } = actions ?? {};
  const kept = Object.entries(before ?? {}).filter(
    ([name]) => name !== 'do' && (!ofActions.includes(name) || actionFields[chosen].includes(name)),
  );
  if (chosen === 'continue' && kept.length === 0) return others;
  return { ...others, [of]: { ...Object.fromEntries(kept), do: chosen } };
}

/** PhraseRow is the own phrases of a class in a language, as the form has them. */
export interface PhraseRow {
  language: string;
  of: string;
  phrases: string[];
}

/** phraseRows makes rows of phrases by language and class; of an imported file they may be anything. */
export function phraseRows(phrases: unknown): PhraseRow[] {
  if (!isObject(phrases)) return [];
  return Object.entries(phrases).flatMap(([language, classes]) =>
    Object.entries(isObject(classes) ? classes : {}).map(([of, list]) => ({
      language,
      of,
      phrases: Array.isArray(list) ? list.map(String) : [],
    })),
  );
}

/** phrasesOf is the phrases by language and class of rows; those of two rows of the same are put together. */
export function phrasesOf(rows: PhraseRow[]): AnswerDetection['phrases'] {
  const languages = new Map<string, Map<string, string[]>>();
  for (const { language, of, phrases } of rows) {
    const classes = languages.get(language) ?? new Map<string, string[]>();
    languages.set(language, classes.set(of, [...(classes.get(of) ?? []), ...phrases]));
  }
  return Object.fromEntries([...languages].map(([language, classes]) => [language, Object.fromEntries(classes)]));
}

/** Limits of a number, both included. */
export interface Limits {
  minimum: number;
  maximum: number;
}

/** isOutside reports whether a field has a number beyond its limits. An empty field has a text. */
export const isOutside = (value: unknown, { minimum, maximum }: Limits) =>
  typeof value === 'number' && (value < minimum || value > maximum);
