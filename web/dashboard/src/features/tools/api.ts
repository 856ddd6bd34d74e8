import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type Tool = components['schemas']['ToolBody'];
export type Action = components['schemas']['Action'];
export type Parameter = components['schemas']['Parameter'];
export const tool = (name: string) =>
  queryOptions({
    queryKey: ['tool', name],
    queryFn: ({ signal }) => result(api.GET('/api/v1/tools/{name}', { params: { path: { name } }, signal })),
    refetchOnWindowFocus: false,
  });

export const tools = queryOptions({
  queryKey: ['tools'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/tools', { params: { query: { limit: 100, offset } }, signal }))),
});
