import type { CallAnalysis } from '../api';
import type { Turn } from './turns';

type Analysis = Pick<CallAnalysis, 'name' | 'status' | 'criteria'> & { data?: unknown };

/** Subject is what a test needs to know of the call that it is made from. */
export interface Subject {
  id: string;
  agent_name?: string | null;
  workflow_slug?: string | null;
  status_reason?: string | null;
}

const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

/** fields are the values of an analysis' data by their paths; what a path cannot name, such as a name with a full stop, is in a value as a whole. */
function fields(path: string, value: unknown): [string, unknown][] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const names = isObject ? Object.entries(value) : [];
  if (names.length === 0 || names.some(([name]) => name === '' || name.includes('.'))) return [[path, value]];
  return names.flatMap(([name, inner]) => fields(`${path}.${name}`, inner));
}

/** expectedAnswers are the answers of the analyses that are done, as a test expects them; a score is the least one. */
function expectedAnswers(analyses: Analysis[]): Record<string, Record<string, unknown>> | undefined {
  const expected = analyses
    .filter((a) => a.status === 'done')
    .map((a): [string, [string, unknown][]] => [
      a.name,
      [
        ...(a.criteria ?? []).flatMap((c): [string, unknown][] => {
          if (c.score !== undefined) return [[c.name, `>= ${c.score}`]];
          return c.answer === 'yes' || c.answer === 'no' ? [[c.name, c.answer]] : [];
        }),
        ...(a.data ? fields('data', a.data) : []),
      ],
    ])
    .filter(([, answers]) => answers.length > 0);
  if (expected.length === 0) return undefined;
  return Object.fromEntries(expected.map(([name, answers]) => [name, Object.fromEntries(answers)]));
}

/**
 * evaluation is a call as a test for `parley eval`: the caller's lines, and for each reply the tools, the agent and whether the
 * call ended, and the answers of its analyses. What the agent said is a comment: which words matter is for the author to choose.
 */
export async function evaluation(call: Subject, turns: Turn[], analyses: Analysis[] = []): Promise<string> {
  const { Document, YAMLMap } = await import('yaml');
  let agent = call.agent_name ?? undefined;
  const lines = turns.filter((t) => t.number > 0 && hasWord(t.said ?? ''));
  const expected = (turn: Turn, last: boolean) => {
    agent = turn.handoffs.at(-1)?.agent ?? turn.replies.at(-1)?.agent ?? agent;
    return {
      tools: turn.tools.map((t) => t.name),
      ...(agent && { agent }),
      ended: last && call.status_reason === 'agent_ended',
    };
  };
  const opening = turns.find((t) => t.number === 0);
  const greeting = opening && expected(opening, lines.length === 0);
  const judged = expectedAnswers(analyses);
  const document = new Document([
    {
      name: `call ${call.id}`,
      ...(call.workflow_slug ? { workflow: call.workflow_slug } : { agent: call.agent_name }),
      greeting,
      turns: lines.map((turn, i) => ({ say: turn.said, expect: expected(turn, i === lines.length - 1) })),
      ...(judged && { analyses: judged }),
    },
  ]);
  document.commentBefore = ` Made from the call ${call.id}. Run it with: parley eval FILE
 A call's user_context is not in the API: give what the prompts need of it as user_context.
 The replies are comments. Put the words that matter under expect: words, not_words.`;
  const comment = (path: (string | number)[], turn: Turn | undefined) => {
    const node = document.getIn(path, true);
    if (node instanceof YAMLMap && turn?.replies.length)
      node.commentBefore = turn.replies.map((r) => ` replied: ${r.text.replaceAll(/\s+/g, ' ')}`).join('\n');
  };
  comment([0, 'greeting'], opening);
  lines.forEach((turn, i) => comment([0, 'turns', i, 'expect'], turn));
  return document.toString({ lineWidth: 0 });
}
