import type { Webhook } from './api';
import { type EventType, eventTypes } from './events';
import { fromPairs, type Pair, toPairs } from '../../ui/resource/Pairs';

/** What a webhook is sent. */
export interface Filter {
  events: string[];
  workflows: string[] | null;
  agents: string[] | null;
  include_transcript: boolean;
  include_context: boolean;
  include_metrics: boolean;
  include_page: boolean;
}

/** The webhook as its form holds it. */
export interface Settings extends Record<string, unknown> {
  url: string;
  events: EventType[];
  workflows: string[]; // none: all
  agents: string[]; // none: all
  headers: Pair[];
  retry_policy: Webhook['retry_policy'];
  max_retries: number | string;
  timeout: number | string;
  payload_format: Webhook['payload_format'];
  include_transcript: boolean;
  include_context: boolean;
  include_metrics: boolean;
  include_page: boolean;
}

/** settingsOf is what the form begins with; a new webhook is tried again for a day. */
export function settingsOf(w: Webhook | null): Settings {
  const filter = w?.filter as Filter | undefined;
  return {
    url: w?.url ?? '',
    events: filter ? eventTypes.filter((e) => filter.events.includes(e)) : [...eventTypes],
    workflows: filter?.workflows ?? [],
    agents: filter?.agents ?? [],
    headers: toPairs(w?.headers),
    retry_policy: w?.retry_policy ?? 'extended',
    max_retries: w?.max_retries ?? 5,
    timeout: w?.timeout ?? 30,
    payload_format: w?.payload_format ?? 'event',
    include_transcript: filter?.include_transcript ?? false,
    include_context: filter?.include_context ?? false,
    include_metrics: filter?.include_metrics ?? false,
    include_page: filter?.include_page ?? false,
  };
}

/** bodyOf is the form as the API takes it. All events are none chosen: those that come with later versions are sent too. */
export function bodyOf(s: Settings) {
  return {
    url: s.url.trim(),
    filter: {
      events: s.events.length === eventTypes.length ? null : s.events,
      workflows: s.workflows.length ? s.workflows : null,
      agents: s.agents.length ? s.agents : null,
      include_transcript: s.include_transcript,
      include_context: s.include_context,
      include_metrics: s.include_metrics,
      include_page: s.include_page,
    },
    headers: fromPairs(s.headers),
    retry_policy: s.retry_policy,
    max_retries: s.max_retries === '' ? null : Number(s.max_retries),
    timeout: s.timeout === '' ? null : Number(s.timeout),
    payload_format: s.payload_format,
  };
}
