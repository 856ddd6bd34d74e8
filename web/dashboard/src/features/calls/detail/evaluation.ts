import type { Turn } from './turns';

/** Subject is what a test needs to know of the call that it is made from. */
export interface Subject {
  id: string;
  agent_name?: string | null;
  workflow_slug?: string | null;
  status_reason?: string | null;
}

const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

/**
 * evaluation is a call as a test for `parley eval`: the caller's lines, and for each reply the tools, the agent and whether the
 * call ended. What the agent said is a comment: which words matter is for the author to choose.
 */
export async function evaluation(call: Subject, turns: Turn[]): Promise<string> {
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
  const document = new Document([
    {
      name: `call ${call.id}`,
      ...(call.workflow_slug ? { workflow: call.workflow_slug } : { agent: call.agent_name }),
      greeting,
      turns: lines.map((turn, i) => ({ say: turn.said, expect: expected(turn, i === lines.length - 1) })),
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
