import { queryOptions } from '@tanstack/react-query';
import { api, Problem, result } from '../../api/client';
import { pageSize } from '../../api/pages';
import type { DeliveredType } from './events';
import type { components } from '../../generated/schema';

export type Webhook = components['schemas']['WebhookBody'];
export type Delivery = components['schemas']['DeliveryBody'];
export type DeliveryDetail = components['schemas']['DeliveryDetailBody'];

/** orNull is null for what does not exist. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

/** webhook is the tenant's one webhook; null while there is none. */
export const webhook = queryOptions({
  queryKey: ['webhook'],
  queryFn: ({ signal }) => orNull(result(api.GET('/api/v1/webhooks', { signal }))),
});

export interface DeliveryFilter {
  page?: number;
  status?: Delivery['status'];
  event?: DeliveredType;
}

export const deliveryLog = ({ page = 1, status, event }: DeliveryFilter) =>
  queryOptions({
    queryKey: ['deliveries', 'list', { page, status, event }],
    queryFn: ({ signal }) =>
      result(
        api.GET('/api/v1/webhooks/deliveries', {
          params: {
            query: { limit: pageSize, offset: (page - 1) * pageSize, status: status, event: event },
          },
          signal,
        }),
      ),
    placeholderData: (before) => before,
    // What is under way changes by itself.
    refetchInterval: ({ state }) =>
      state.data?.items?.some((d) => d.status === 'pending' || d.status === 'in_flight') ? 1500 : false,
  });

export const delivery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => result(api.GET('/api/v1/webhooks/deliveries/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.finished_at === null ? 1500 : false),
  });
