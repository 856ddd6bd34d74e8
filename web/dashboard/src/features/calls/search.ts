import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Found, matches } from '../../feature';
import { moment } from '../../format';
import { callList } from './api';
import { callsTexts, statusTexts } from './texts';

const isID = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** useFoundCalls finds recent calls by id, user, workflow and agents, and offers to open any other call by its whole id. */
export function useFoundCalls(needle: string, enabled: boolean): Found[] {
  const navigate = useNavigate();
  const open = (id: string) => () => void navigate({ to: '/calls/$id', params: { id } });
  const recent = useQuery({ ...callList({}), enabled }).data?.items ?? [];
  const found = recent
    .filter((c) => matches(needle, c.id, c.user_id, c.workflow_slug, ...(c.agent_history ?? [])))
    .slice(0, 6)
    .map((c) => ({
      id: c.id,
      label: c.agent_history?.join(', ') || c.workflow_slug || c.id,
      hint: c.started_at ? moment(c.started_at) : statusTexts[c.status],
      open: open(c.id),
    }));
  if (!isID(needle) || found.some((c) => c.id === needle)) return found;
  return [...found, { id: needle, label: callsTexts.openByID, hint: needle, open: open(needle) }];
}
