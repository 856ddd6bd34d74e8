import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import type { components } from '../../generated/schema';

export type ProviderKey = components['schemas']['ProviderKeyBody'];
export const providerKeys = queryOptions({
  queryKey: ['provider-keys'],
  queryFn: async ({ signal }) => (await result(api.GET('/api/v1/provider-keys', { signal }))).items ?? [],
});
