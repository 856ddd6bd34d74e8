import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';

/** all is as many as a tenant may have by default, at most. */
const all = { limit: 100, offset: 0 };

/** Value is a variable, or a secret, whose value is never there. */
export type Value = { name: string; value?: string; updated_at: string };

export const variables = queryOptions({
  queryKey: ['variables'],
  queryFn: async ({ signal }): Promise<Value[]> =>
    (await result(api.GET('/api/v1/variables', { params: { query: all }, signal }))).items ?? [],
});

export const secrets = queryOptions({
  queryKey: ['secrets'],
  queryFn: async ({ signal }): Promise<Value[]> =>
    (await result(api.GET('/api/v1/secrets', { params: { query: all }, signal }))).items ?? [],
});
