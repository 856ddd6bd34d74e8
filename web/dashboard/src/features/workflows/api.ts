import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';

export const workflows = queryOptions({
  queryKey: ['workflows'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/workflows', { params: { query: { limit: 100, offset } }, signal }))),
});

export const workflow = (slug: string) =>
  queryOptions({
    queryKey: ['workflow', slug],
    queryFn: ({ signal }) => result(api.GET('/api/v1/workflows/{slug}', { params: { path: { slug } }, signal })),
    refetchOnWindowFocus: false,
  });
