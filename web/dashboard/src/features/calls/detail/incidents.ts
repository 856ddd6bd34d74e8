import { incidentTexts } from '../texts';
import type { Entry } from './turns';

/** incidentText is an incident of the timeline in words: its type, with the cause where there is a text for it. */
export function incidentText(entry: Entry): string {
  const known = incidentTexts[entry.type];
  if (!known) return [entry.type.replaceAll('_', ' '), entry.cause?.replaceAll('_', ' ')].filter(Boolean).join(': ');
  return known[entry.cause ?? ''] ?? known[''];
}
