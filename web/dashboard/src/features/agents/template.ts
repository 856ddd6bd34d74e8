import type { Completions } from '../../ui/CompletedText';

/** The sources that a template of an agent may name. */
const sources = ['user.', 'call.', 'workflow.', 'flags.', 'vars.', 'prompt.'];
/** The paths of the time, which every call has. */
const times = ['now', 'now.time', 'now.weekday', 'today'];
const path = /\{\{\s*((?:user|workflow|flags)(?:\.[\p{L}_][\p{L}\p{N}_-]*)+)\s*\}\}/gu;

/** templatePaths are the paths that texts name. */
export function templatePaths(texts: string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(path)].map((match) => match[1])))].sort();
}

/** templateCompletions completes a template that is open at the caret, with the paths that are known; a whole one is closed. */
export function templateCompletions(text: string, caret: number, known: string[]): Completions {
  const open = /\{\{\s*([\p{L}\p{N}_.-]*)$/u.exec(text.slice(0, caret));
  if (!open) return { from: caret, options: [] };
  const word = open[1];
  const from = caret - word.length;
  const close = /^\s*\}\}/.test(text.slice(caret)) ? '' : '}}';
  const whole = [...known, ...times].filter((p) => p.startsWith(word)).map((p) => p + close);
  const begun = word.includes('.') ? [] : sources.filter((s) => s.startsWith(word));
  return { from, options: [...begun, ...whole].filter((o) => o !== word).slice(0, 12) };
}
