import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { signedOut } from './client';
import { renewSession } from './session';

/** useLiveCalls refreshes the queries of calls when calls change; it returns whether the stream is open. */
export function useLiveCalls(): boolean {
  const queries = useQueryClient();
  const [open, setOpen] = useState(true);
  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    let pause = 1000;
    const connect = () => {
      source = new EventSource('/api/v1/sse/calls/stream');
      source.addEventListener('connected', () => {
        setOpen(true);
        pause = 1000;
        void queries.invalidateQueries({ queryKey: ['calls'] });
      });
      source.addEventListener('calls_update', () => void queries.invalidateQueries({ queryKey: ['calls'] }));
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
      source?.close();
    };
  }, [queries]);
  return open;
}
