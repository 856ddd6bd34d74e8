import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Found, matches } from '../../feature';
import { workflows } from './api';

/** useFoundWorkflows finds workflows by slug and name. */
export function useFoundWorkflows(needle: string, enabled: boolean): Found[] {
  const navigate = useNavigate();
  return (useQuery({ ...workflows, enabled }).data ?? [])
    .filter((w) => matches(needle, w.slug, w.name))
    .slice(0, 8)
    .map(({ id, name, slug }) => ({
      id,
      label: name,
      hint: slug,
      open: () => void navigate({ to: '/workflows/$slug', params: { slug } }),
    }));
}
