import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { signedOut } from './client';
import { renewSession } from './session';

/**
 * refresher returns refresh, which loads the queries of a key again after a delay in milliseconds, and stop, after which it does not.
 * A busy tenant has many changes a second: those within the delay share one load. A change does not cancel a load, which on a slow
 * connection would never finish: another load follows it.
 */
export function refresher(queries: QueryClient) {
  let ended = false;
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  const loading = new Map<string, boolean>(); // whether another load follows
  const load = async (key: string, after: number) => {
    waiting.delete(key);
    loading.set(key, queries.isFetching({ queryKey: [key] }) > 0); // a load that began before the change may lack it
    await queries.invalidateQueries({ queryKey: [key] }, { cancelRefetch: false });
    const again = loading.get(key);
    loading.delete(key);
    if (again && !ended) refresh(key, after);
  };
  const refresh = (key: string, after: number) => {
    if (loading.has(key)) loading.set(key, true);
    else if (!waiting.has(key))
      waiting.set(
        key,
        setTimeout(() => void load(key, after), after),
      );
  };
  const stop = () => {
    ended = true;
    for (const timer of waiting.values()) clearTimeout(timer);
    waiting.clear();
  };
  return { refresh, stop };
}

/** useLiveCalls refreshes the queries of calls when calls change, for those who may see them; it returns whether the stream is open. */
export function useLiveCalls(enabled = true): boolean {
  const queries = useQueryClient();
  const [open, setOpen] = useState(true);
  useEffect(() => {
    if (!enabled) return;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    let pause = 1000;
    const { refresh, stop } = refresher(queries);
    const connect = () => {
      source = new EventSource('/api/v1/sse/calls/stream');
      source.addEventListener('connected', () => {
        setOpen(true);
        pause = 1000;
        void queries.invalidateQueries({ queryKey: ['calls'] });
      });
      source.addEventListener('calls_update', () => {
        refresh('calls', 250);
        refresh('analytics', 3000);
      });
      source.onerror = () => {
        source?.close();
        setOpen(false);
        timer = setTimeout(async () => {
          const session = await renewSession();
          if (session === false) signedOut();
          else if (!ended) connect();
        }, pause);
        pause = Math.min(pause * 2, 30_000);
      };
    };
    connect();
    return () => {
      ended = true;
      clearTimeout(timer);
      stop();
      source?.close();
    };
  }, [queries, enabled]);
  return open;
}
