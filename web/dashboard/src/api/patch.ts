export const isObject = (v: unknown): v is Record<string, unknown> =>
  v !== null && typeof v === 'object' && !Array.isArray(v);

/** withoutEmpty leaves out what was not filled in: "", null, and objects and lists without anything. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((v) => v !== undefined);
  if (value !== null && typeof value === 'object') {
    const kept = Object.entries(value)
      .map(([k, v]) => [k, withoutEmpty(v)] as const)
      .filter(([, v]) => v !== undefined && !(Array.isArray(v) && v.length === 0) && !isEmptyObject(v));
    return Object.fromEntries(kept);
  }
  return value === '' || value === null ? undefined : value;
}

function isEmptyObject(v: unknown): boolean {
  return v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length === 0;
}

/**
 * mergePatch is the JSON Merge Patch (RFC 7396) that turns one object into another: what is gone is null. Its type fits the body of
 * every request whose fields are all optional; the API checks what the fields are.
 */
export const mergePatch = (before: object, after: object) => patch(before, after) as Record<string, never>;

function patch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const changes: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!(key in after)) changes[key] = null;
    else if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) changes[key] = patch(before[key], after[key]);
  }
  return changes;
}

/** formPath is a field of an error as the form names it: handoffs[0].target_agent is handoffs.0.target_agent. */
export function formPath(field: string): string {
  return field.replace(/\[(\d+)\]/g, '.$1');
}
