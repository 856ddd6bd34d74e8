import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type APIKey = components['schemas']['KeyBody'];

export const apiKeys = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) =>
    allPages((offset) =>
      result(api.GET('/api/v1/auth/api-keys', { params: { query: { limit: 100, offset } }, signal })),
    ),
});
