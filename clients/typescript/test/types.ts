// What the compiler accepts and refuses; nothing here is run.
import { Parley, type Schemas } from '../src/index.js';

export async function types(parley: Parley) {
  const started: Schemas.StartedBody = await parley.calls.start({ workflow_slug: 'demo', call_type: 'voip' });
  // @ts-expect-error: a body has no other fields
  await parley.calls.start({ workflow_slug: 'demo', workflow: 'demo' });
  // @ts-expect-error: the workflow is required
  await parley.calls.start({ user_id: 'u' });
  // @ts-expect-error: a status is one of those that are described
  await parley.calls.list({ status: 'over' });
  await parley.calls.list({ metadata: { order: '4711' } });
  for await (const call of parley.calls.list()) call.workflow_slug satisfies string | null;
  for await (const message of parley.calls.stream(started.call_id)) {
    // @ts-expect-error: heartbeats are left out
    void (message.event === 'heartbeat');
    // @ts-expect-error: not all messages have a content
    void message.data.content;
    if (message.event === 'transcript') message.data.content satisfies string;
  }
}
