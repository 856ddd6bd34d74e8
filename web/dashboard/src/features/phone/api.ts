import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { allPages } from '../../api/pages';
import type { components } from '../../generated/schema';

export type Trunk = components['schemas']['TrunkBody'];
export const trunks = queryOptions({
  queryKey: ['trunks'],
  queryFn: ({ signal }) =>
    allPages((offset) => result(api.GET('/api/v1/sip-trunks', { params: { query: { limit: 100, offset } }, signal }))),
});
export type PhoneNumber = components['schemas']['PhoneNumberBody'];
export const phoneNumbers = queryOptions({
  queryKey: ['phone-numbers'],
  queryFn: ({ signal }) =>
    allPages((offset) =>
      result(api.GET('/api/v1/phone-numbers', { params: { query: { limit: 100, offset } }, signal })),
    ),
});
