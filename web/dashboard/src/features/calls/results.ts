import type { components } from '../../generated/schema';

type Results = Pick<components['schemas']['CallItem'], 'results'>;

/** resultKeys are the names of the answers that calls have: of criteria first, then of data. */
export function resultKeys(calls: Results[]): string[] {
  const keys = [...new Set(calls.flatMap((c) => Object.keys(c.results ?? {})))].sort();
  return [...keys.filter((key) => !ofData(key)), ...keys.filter(ofData)];
}

/** An analysis has no dots in its name. */
const ofData = (key: string) => key.split('.')[1] === 'data' && key.split('.').length > 2;

/** resultText is an answer as a text; undefined for none. */
export const resultText = (value: unknown) => (value === undefined ? undefined : String(value));

const most = 4;

/** answersOf are the answers of a call that its row in the list shows, and how many more it has. */
export function answersOf(call: Results) {
  const keys = resultKeys([call]);
  const shown = keys.slice(0, most).map((key) => ({
    key,
    name: key.replace(/^[^.]*\.(data\.)?/, ''),
    value: String(call.results?.[key]),
  }));
  return { shown, more: keys.length - shown.length };
}
