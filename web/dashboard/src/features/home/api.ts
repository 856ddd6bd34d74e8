import type { QueryClient } from '@tanstack/react-query';
import { today } from '../analytics/range';
import { errorGroups, latency, summary } from '../analytics/api';
import { activeCalls, callList } from '../calls/api';
import { agents } from '../agents/api';
import { may, me } from '../../api/me';

/** homeQueries are what the first page shows to those who may see calls; figures are of the day up to a minute. */
export function homeQueries(at: number) {
  const { now, before } = today(new Date(Math.floor(at / 60_000) * 60_000));
  return {
    figures: summary(now),
    yesterday: summary(before),
    providers: latency(now),
    errors: errorGroups(now),
    active: activeCalls,
    calls: callList({}),
  };
}

/** loadFirst asks who is signed in, and loads what the first page shows, while the page is not drawn yet. */
export async function loadFirst(queries: QueryClient, path: string) {
  if (path === '/sign-in') return;
  const scopes = (await queries.fetchQuery(me).catch(() => undefined))?.scopes;
  if (path !== '/') return;
  if (may(scopes, 'agents:read')) void queries.prefetchQuery(agents);
  if (!may(scopes, 'calls:read')) return;
  const first = homeQueries(Date.now());
  void queries.prefetchQuery(first.figures);
  void queries.prefetchQuery(first.yesterday);
  void queries.prefetchQuery(first.providers);
  void queries.prefetchQuery(first.errors);
  void queries.prefetchQuery(first.active);
  void queries.prefetchQuery(first.calls);
}
