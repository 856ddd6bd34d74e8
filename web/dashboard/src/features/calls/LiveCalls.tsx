import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { components } from '../../generated/schema';
import { duration } from '../../format';
import { Status } from './Status';

/** Since counts the time from a moment, while a call is live. */
function Since({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {duration((now - Date.parse(at)) / 1000)}
    </Text>
  );
}

export function LiveCalls({ calls, most }: { calls: components['schemas']['ActiveCallItem'][]; most: number }) {
  return calls.slice(0, most).map((c) => (
    <Link key={c.id} to="/calls/$id" params={{ id: c.id }} className="row">
      <div style={{ width: 110, flex: 'none' }}>
        <Status status={c.status} held={c.held} />
      </div>
      <Text size="sm" fw={550} className="grow one-line">
        {c.current_agent ?? c.workflow_slug ?? c.id.slice(0, 8)}
      </Text>
      {c.started_at && <Since at={c.started_at} />}
    </Link>
  ));
}
