import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { signedOut } from './client';
import { renewSession } from './session';

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
    // A busy tenant has many changes a second: what they touch is loaded at most four times a second, and figures every three seconds.
    const waiting = new Map<string, ReturnType<typeof setTimeout>>();
    const refresh = (key: string, after: number) => {
      if (waiting.has(key)) return;
      waiting.set(key, setTimeout(() => {
        waiting.delete(key);
        void queries.invalidateQueries({ queryKey: [key] });
      }, after));
    };
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
      for (const t of waiting.values()) clearTimeout(t);
      source?.close();
    };
  }, [queries, enabled]);
  return open;
}
