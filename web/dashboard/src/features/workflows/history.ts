/** What was, is, and was undone. */
export interface History<T> {
  past: T[];
  present: T;
  future: T[];
  /** Changes of the same tag that follow each other, such as keystrokes in a field, are undone together. */
  tag?: string;
}

const longest = 200;

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [] });

export function change<T>(h: History<T>, present: T, tag?: string): History<T> {
  if (present === h.present) return h;
  const past = tag !== undefined && tag === h.tag ? h.past : [...h.past, h.present].slice(-longest);
  return { past, present, future: [], tag };
}

export function undo<T>(h: History<T>): History<T> {
  const before = h.past.at(-1);
  return before === undefined ? h : { past: h.past.slice(0, -1), present: before, future: [h.present, ...h.future] };
}

export function redo<T>(h: History<T>): History<T> {
  const [after, ...future] = h.future;
  return after === undefined ? h : { past: [...h.past, h.present], present: after, future };
}
