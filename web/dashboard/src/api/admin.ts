import { queryOptions } from '@tanstack/react-query';
import { pageSize } from '../parts/resource/List';
import { api, Problem, result } from './client';
import { allPages } from './queries';
import type { components } from './schema';

export type Webhook = components['schemas']['WebhookBody'];
export type Delivery = components['schemas']['DeliveryBody'];
export type DeliveryDetail = components['schemas']['DeliveryDetailBody'];
export type APIKey = components['schemas']['KeyBody'];

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
export const webhook = queryOptions({ queryKey: ['webhook'], queryFn: ({ signal }) => orNull(result(api.GET('/api/v1/webhooks', { signal }))) });

export interface DeliveryFilter {
  page?: number;
  status?: string;
  event?: string;
}

export const deliveryLog = ({ page = 1, status, event }: DeliveryFilter) =>
  queryOptions({
    queryKey: ['deliveries', 'list', { page, status, event }],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/webhooks/deliveries', { params: { query: { limit: pageSize, offset: (page - 1) * pageSize, status: status as never, event: event as never } }, signal })),
    placeholderData: (before) => before,
    // What is under way changes by itself.
    refetchInterval: ({ state }) => (state.data?.items?.some((d) => d.status === 'pending' || d.status === 'in_flight') ? 1500 : false),
  });

export const delivery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => result(api.GET('/api/v1/webhooks/deliveries/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.finished_at === null ? 1500 : false),
  });

export const apiKeys = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allPages((offset) => result(api.GET('/api/v1/auth/api-keys', { params: { query: { limit: 100, offset } }, signal }))),
});

export type ProviderKey = components['schemas']['ProviderKeyBody'];
export const providerKeys = queryOptions({ queryKey: ['provider-keys'], queryFn: async ({ signal }) => (await result(api.GET('/api/v1/provider-keys', { signal }))).items ?? [] });

export type Tool = components['schemas']['ToolBody'];
export type Action = components['schemas']['Action'];
export type Parameter = components['schemas']['Parameter'];
export const tool = (name: string) =>
  queryOptions({ queryKey: ['tool', name], queryFn: ({ signal }) => result(api.GET('/api/v1/tools/{name}', { params: { path: { name } }, signal })), refetchOnWindowFocus: false });

export type Prompt = components['schemas']['PromptBody'];
export type PromptVersion = components['schemas']['PromptVersionBody'];
export const prompts = queryOptions({
  queryKey: ['prompts'],
  queryFn: ({ signal }) => allPages((offset) => result(api.GET('/api/v1/prompts', { params: { query: { limit: 100, offset } }, signal }))),
});
export const prompt = (slug: string) =>
  queryOptions({ queryKey: ['prompts', slug], queryFn: ({ signal }) => result(api.GET('/api/v1/prompts/{slug}', { params: { path: { slug } }, signal })), refetchOnWindowFocus: false });
export const promptVersions = (slug: string) =>
  queryOptions({
    queryKey: ['prompts', slug, 'versions'],
    queryFn: ({ signal }) => allPages((offset) => result(api.GET('/api/v1/prompts/{slug}/versions', { params: { path: { slug }, query: { limit: 100, offset } }, signal }))),
  });

export type Trunk = components['schemas']['TrunkBody'];
export const trunks = queryOptions({
  queryKey: ['trunks'],
  queryFn: ({ signal }) => allPages((offset) => result(api.GET('/api/v1/sip-trunks', { params: { query: { limit: 100, offset } }, signal }))),
});
export type PhoneNumber = components['schemas']['PhoneNumberBody'];
export const phoneNumbers = queryOptions({
  queryKey: ['phone-numbers'],
  queryFn: ({ signal }) => allPages((offset) => result(api.GET('/api/v1/phone-numbers', { params: { query: { limit: 100, offset } }, signal }))),
});

export interface AuditFilter {
  page?: number;
  actor?: string;
  action?: string;
  type?: string;
  resource?: string;
  from?: string;
  to?: string;
}
export const auditLog = ({ page = 1, actor, action, type, resource, from, to }: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', { page, actor, action, type, resource, from, to }],
    queryFn: ({ signal }) =>
      result(
        api.GET('/api/v1/audit-log', {
          params: { query: { limit: pageSize, offset: (page - 1) * pageSize, actor, action, resource_type: type, resource_id: resource, from: from && new Date(from).toISOString(), to: to && new Date(to).toISOString() } },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  });

export const limits = queryOptions({ queryKey: ['limits'], queryFn: async ({ signal }) => (await result(api.GET('/api/v1/limits', { signal }))).items ?? [] });
