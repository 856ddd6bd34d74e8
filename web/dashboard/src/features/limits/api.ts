import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';

export const limits = queryOptions({
  queryKey: ['limits'],
  queryFn: async ({ signal }) => (await result(api.GET('/api/v1/limits', { signal }))).items ?? [],
});

export const budgets = queryOptions({
  queryKey: ['budgets'],
  queryFn: async ({ signal }) => (await result(api.GET('/api/v1/budgets', { signal }))).items ?? [],
});
