import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';

export interface AnalyticsFilter {
  period?: string;
  from?: string;
  to?: string;
}

/** Range is what figures are of; without an end, up to now. */
export interface Range {
  started_after: string;
  started_before?: string;
}

const options = { placeholderData: <T>(before: T) => before };

export const summary = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'summary', range],
    queryFn: ({ signal }) => result(api.GET('/api/v1/analytics/summary', { params: { query: range }, signal })),
    ...options,
  });
export const latency = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'latency', range],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/analytics/provider-latency', { params: { query: range }, signal })),
    ...options,
  });
export const errorCount = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'errors', range],
    queryFn: async ({ signal }) =>
      (await result(api.GET('/api/v1/analytics/errors', { params: { query: { ...range, limit: 1 } }, signal }))).total,
    ...options,
  });
export const errorGroups = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'error groups', range],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/analytics/error-groups', { params: { query: { ...range, limit: 100 } }, signal })),
    ...options,
  });
export const volume = (range: Range, interval: 'hour' | 'day' | 'week') =>
  queryOptions({
    queryKey: ['analytics', 'volume', range, interval],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/analytics/call-volume', { params: { query: { ...range, interval } }, signal })),
    ...options,
  });
export type CostGroup = 'provider' | 'agent' | 'workflow' | 'model';

export const costs = (range: Range, group: CostGroup) =>
  queryOptions({
    queryKey: ['analytics', 'costs', range, group],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/analytics/costs', { params: { query: { ...range, group_by: group } }, signal })),
    ...options,
  });
export const answeredBy = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'answered by', range],
    queryFn: async ({ signal }) =>
      (await result(api.GET('/api/v1/analytics/answered-by', { params: { query: range }, signal })))[0] ?? null,
    ...options,
  });
export const workflowStats = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'workflows', range],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/analytics/workflow-stats', { params: { query: { ...range, limit: 50 } }, signal })),
    ...options,
  });
