import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import { pageSize } from '../../api/pages';
import type { DeliveredType } from './events';
import type { components } from '../../generated/schema';

export type Webhook = components['schemas']['WebhookBody'];
export type Delivery = components['schemas']['DeliveryBody'];
export type DeliveryDetail = components['schemas']['DeliveryDetailBody'];

/** webhooks are the tenant's webhooks, the primary one first. */
export const webhooks = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) =>
    result(api.GET('/api/v1/webhook-endpoints', { params: { query: { limit: 100 } }, signal })).then(
      (page) => page.items ?? [],
    ),
});

export interface DeliveryFilter {
  page?: number;
  status?: Delivery['status'];
  event?: DeliveredType;
  webhook?: string;
}

export const deliveryLog = ({ page = 1, status, event, webhook }: DeliveryFilter) =>
  queryOptions({
    queryKey: ['deliveries', 'list', { page, status, event, webhook }],
    queryFn: ({ signal }) =>
      result(
        api.GET('/api/v1/webhooks/deliveries', {
          params: {
            query: { limit: pageSize, offset: (page - 1) * pageSize, status, event, webhook_id: webhook },
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
