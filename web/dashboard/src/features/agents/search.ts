import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Found, matches } from '../../feature';
import { agents } from './api';

/** useFoundAgents finds agents by their names. */
export function useFoundAgents(needle: string, enabled: boolean): Found[] {
  const navigate = useNavigate();
  return (useQuery({ ...agents, enabled }).data ?? [])
    .filter((a) => matches(needle, a.name, a.display_name))
    .slice(0, 8)
    .map(({ id, name, display_name }) => ({
      id,
      label: display_name || name,
      hint: name,
      open: () => void navigate({ to: '/agents/$name', params: { name } }),
    }));
}
