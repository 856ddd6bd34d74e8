/** oneOf is a value if it is one of those that are known. */
export const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((k) => k === value);
