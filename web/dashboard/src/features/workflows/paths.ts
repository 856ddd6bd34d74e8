import type { Draft } from './draft';

const sources = ['user', 'call', 'workflow', 'flags'];
const path = /\b(?:user|call|workflow|flags)(?:\.[\p{L}_][\p{L}\p{N}_-]*)+/gu;

/** keysOf lists the paths in a sample context. */
function keysOf(value: unknown, prefix: string): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return prefix ? [prefix] : [];
  return Object.entries(value).flatMap(([k, v]) => keysOf(v, prefix ? `${prefix}.${k}` : k));
}

interface Action {
  type?: string;
  key?: string;
  name?: string;
}

/** knownPaths are the context paths that a workflow, its tools and a sample context name. */
export function knownPaths(draft: Draft, actions: Action[], sample: unknown): string[] {
  const found = new Set<string>(draft.shared.map((key) => (key.startsWith('workflow.') ? key : `workflow.${key}`)));
  const scan = (text?: string) => {
    for (const [match] of (text ?? '').matchAll(path)) found.add(match);
  };
  for (const n of draft.nodes) {
    scan(n.skip_condition);
    for (const source of Object.values(n.context_mapping ?? {})) scan(source);
  }
  for (const c of draft.connections) scan(c.condition);
  for (const a of actions) {
    if (a.type === 'set_flag' && a.name) found.add(`flags.${a.name}`);
    if (a.type === 'set_context' && a.key) found.add(`workflow.${a.key}`);
  }
  for (const key of keysOf(sample, '')) if (sources.includes(key.split('.')[0] ?? '')) found.add(key);
  return [...found].sort();
}

/** completions are the paths that fit what stands before the caret, and where they would begin. */
export function completions(text: string, caret: number, known: string[]): { from: number; options: string[] } {
  const word = /[\p{L}_][\p{L}\p{N}_.-]*$/u.exec(text.slice(0, caret))?.[0] ?? '';
  const from = caret - word.length;
  const before = text.slice(0, from);
  const quotes = before.replace(/\{\{[^}]*\}\}/g, '').match(/["']/g)?.length ?? 0;
  if (word === '' || quotes % 2 === 1) return { from, options: [] };
  const all = [...sources.map((s) => `${s}.`), ...known];
  return { from, options: all.filter((p) => p.startsWith(word) && p !== word).slice(0, 8) };
}
