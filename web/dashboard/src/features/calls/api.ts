import { queryOptions } from '@tanstack/react-query';
import { api, result } from '../../api/client';
import type { components } from '../../generated/schema';

export type CallStatus = components['schemas']['CallBody']['status'];

export type CallDirection = components['schemas']['CallItem']['direction'];

export interface CallFilter {
  page?: number;
  status?: CallStatus;
  reason?: string;
  number?: string;
  direction?: CallDirection;
  /** answered is the class of who answered. */
  answered?: components['schemas']['AnsweredBy']['class'];
  agent?: string;
  /** metadata is name=value. */
  metadata?: string;
  /** result is name=value of an answer, such as outcome.booked=yes. */
  result?: string;
  user?: string;
  workflow?: string;
  mode?: 'live' | 'test';
  /** time is what from and to are about: when a call was created, or else when it became active. */
  time?: 'created';
  from?: string;
  to?: string;
}

/** metadataQuery is the query parameter of a filter name=value; a filter without a value selects nothing yet. */
export function metadataQuery(filter?: string): Record<string, string> {
  const at = filter?.indexOf('=') ?? -1;
  return filter && at > 0 ? { [`metadata.${filter.slice(0, at).trim()}`]: filter.slice(at + 1).trim() } : {};
}

const answers = String.raw`(yes|no|unknown|\d+(\.\d+)?|\d+(\.\d+)?\.\.|(\d+(\.\d+)?)?\.\.\d+(\.\d+)?)`;
const results = [
  new RegExp(`^([a-z0-9][a-z0-9_-]*\\.)?[a-z][a-z0-9_]*=${answers}$`),
  /^[a-z0-9][a-z0-9_-]*\.data\.[^=]+=.+$/s,
];

/** isResult reports whether a text is a filter of answers: booked=yes, outcome.polite=7..10 or outcome.data.service=cleaning. */
export const isResult = (filter: string) => results.some((form) => form.test(filter));

/** resultQuery is the query parameter of a filter of answers; one that is not complete selects nothing yet. */
export function resultQuery(filter?: string): Record<string, string> {
  if (!filter || !isResult(filter)) return {};
  const at = filter.indexOf('=');
  return { [`result.${filter.slice(0, at)}`]: filter.slice(at + 1) };
}

function range({ time, from, to }: CallFilter) {
  const after = from && new Date(from).toISOString();
  const before = to && new Date(to).toISOString();
  return time ? { created_after: after, created_before: before } : { started_after: after, started_before: before };
}

const callPage = (filter: CallFilter, page: number, pageSize: number, signal?: AbortSignal) =>
  result(
    api.GET('/api/v1/calls', {
      params: {
        query: {
          page,
          page_size: pageSize,
          status: filter.status,
          status_reason: filter.reason,
          phone_number: filter.number,
          direction: filter.direction,
          answered_by: filter.answered,
          agent_name: filter.agent,
          ...metadataQuery(filter.metadata),
          ...resultQuery(filter.result),
          user_id: filter.user,
          workflow_id: filter.workflow,
          livemode: filter.mode && filter.mode === 'live',
          ...range(filter),
        },
      },
      signal,
    }),
  );

export const callList = (filter: CallFilter) =>
  queryOptions({
    queryKey: ['calls', 'list', filter],
    queryFn: ({ signal }) => callPage(filter, filter.page ?? 1, 25, signal),
    placeholderData: (before) => before,
  });

/** mostCalls is how many calls a file has at most. */
export const mostCalls = 10_000;

/** callsOf gathers the calls of a filter, the newest first, at most mostCalls. */
export async function callsOf(filter: CallFilter) {
  // Calls that begin meanwhile would move those of the next page.
  const until: CallFilter = { ...filter, to: filter.to ?? new Date().toISOString() };
  const found = [];
  for (let page = 1; found.length < mostCalls; page++) {
    const { items, pages } = await callPage(until, page, 100);
    found.push(...(items ?? []));
    if (page >= pages) break;
  }
  return found;
}

export type MediaServer = components['schemas']['MediaServerBody'];
export const mediaServer = queryOptions({
  queryKey: ['media-server'],
  queryFn: ({ signal }) => result(api.GET('/api/v1/media-server', { signal })),
  staleTime: Infinity,
});

export const activeCalls = queryOptions({
  queryKey: ['calls', 'active'],
  queryFn: ({ signal }) => result(api.GET('/api/v1/calls/active', { params: { query: { limit: 100 } }, signal })),
});

const one = (id: string, signal: AbortSignal) => ({ params: { path: { id } }, signal });

export const call = (id: string) =>
  queryOptions({
    queryKey: ['calls', id],
    queryFn: ({ signal }) => result(api.GET('/api/v1/calls/{id}', one(id, signal))),
  });
export const transcript = (id: string) =>
  queryOptions({
    queryKey: ['calls', id, 'transcript'],
    queryFn: ({ signal }) => result(api.GET('/api/v1/calls/{id}/transcript', one(id, signal))),
  });
export const timeline = (id: string) =>
  queryOptions({
    queryKey: ['calls', id, 'timeline'],
    queryFn: ({ signal }) => result(api.GET('/api/v1/calls/{id}/timeline', one(id, signal))),
  });
/** CallAnalysis is an analysis of a call, and its result once it is done. */
export type CallAnalysis = components['schemas']['CallAnalysisBody'];

/** recheckAfter is after how many milliseconds analyses are loaded again: seldom when their vendors are awaited, not at all when none is pending. */
export function recheckAfter(analyses: CallAnalysis[] = []): number | false {
  const pending = analyses.filter((a) => a.status === 'pending');
  return pending.length > 0 && (pending.every((a) => a.attempts > 1) ? 15_000 : 1500);
}

/** callAnalyses are the analyses of a call that is over; those that are pending are loaded until they are not. */
export const callAnalyses = (id: string) =>
  queryOptions({
    queryKey: ['calls', id, 'analyses'],
    queryFn: ({ signal }) => result(api.GET('/api/v1/calls/{id}/analyses', one(id, signal))),
    refetchInterval: (query) => recheckAfter(query.state.data),
  });
/** sipMessages are the SIP messages of a phone call: none unless the operator has them stored. */
export const sipMessages = (id: string) =>
  queryOptions({
    queryKey: ['calls', id, 'sip-messages'],
    queryFn: ({ signal }) => result(api.GET('/api/v1/calls/{id}/sip-messages', one(id, signal))),
  });
/** callPrompts are the prompts of a call's agents as they were when the call was created. */
export const callPrompts = (id: string) =>
  queryOptions({
    queryKey: ['calls', id, 'prompts'],
    queryFn: ({ signal }) => result(api.GET('/api/v1/calls/{id}/prompts', one(id, signal))),
  });
export const deliveries = (id: string) =>
  queryOptions({
    queryKey: ['calls', id, 'deliveries'],
    queryFn: ({ signal }) =>
      result(api.GET('/api/v1/webhooks/deliveries', { params: { query: { call_id: id, limit: 100 } }, signal })),
  });
