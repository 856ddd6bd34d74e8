import { texts } from '../texts';
import type { Entry } from './turns';

/** overlaps are the types of entries about what was heard of the caller while the agent spoke. */
export const overlaps = ['agent_interrupted', 'agent_resumed', 'overlap_ignored'];

/** incidentText is an incident of the timeline in words: its type, with the cause where there is a text for it. */
export function incidentText(entry: Entry): string {
  const known = texts.incidents[entry.type];
  if (!known) return [entry.type.replaceAll('_', ' '), entry.cause?.replaceAll('_', ' ')].filter(Boolean).join(': ');
  return known[entry.cause ?? ''] ?? known[''];
}
