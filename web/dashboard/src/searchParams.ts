export type SearchParams = Record<string, unknown>;

/** textParam is a parameter of an address as a text; undefined for anything else. */
export const textParam = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** anyTextParam is the same for texts that may look like numbers. */
export const anyTextParam = (value: unknown) => (value === undefined ? undefined : textParam(String(value)));

/** pageParam is the number of a page; undefined for the first. */
export const pageParam = (value: unknown) => (Number(value) > 1 ? Math.floor(Number(value)) : undefined);

/** countParam is a whole number from 0. */
export const countParam = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
