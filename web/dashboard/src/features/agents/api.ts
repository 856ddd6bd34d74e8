import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type Agent = components['schemas']['AgentBody'];
export type AgentConfig = components['schemas']['AgentConfig'];

export const agents = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/agents', { params: { query: { limit: 100, offset } }, signal }))),
});

export const agent = (name: string) =>
  queryOptions({
    queryKey: ['agent', name],
    queryFn: ({ signal }) => result(api.GET('/api/v1/agents/{name}', { params: { path: { name } }, signal })),
    refetchOnWindowFocus: false,
  });

export const providers = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => result(api.GET('/api/v1/providers', { signal })),
  staleTime: 300_000,
});
