import type { components } from '../../../generated/schema';

export type Decision = components['schemas']['Decision'];

/** routingText is a decision of a workflow in words, one line for each part of it that is not empty. */
export function routingText({ set, offered, skipped }: Decision): string[] {
  const because = { tool: '', context_mapping: 'by context mapping', context_pass: 'passed on' };
  return [
    `Can lead to: ${offered.map((o) => o.agent ?? 'the end of the call').join(', ') || 'nowhere'}`,
    set.length > 0 && `Set: ${set.map((s) => `${s.path} (${s.tool ?? because[s.reason]})`).join(', ')}`,
    ...skipped.map((s) => {
      if (s.reason === 'skip_condition') return `${s.agent} is skipped: ${s.condition}`;
      if (s.reason === 'condition') return `Not to ${s.agent}, as this is false: ${s.condition}`;
      return `Not to ${s.agent}: ${s.reason === 'limit' ? 'too many handoffs' : 'it is not active'}`;
    }),
  ].filter((line) => line !== false);
}
