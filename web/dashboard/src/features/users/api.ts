import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type User = components['schemas']['UserBody'];

export const users = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/users', { params: { query: { limit: 100, offset } }, signal }))),
});
