// What the client for TypeScript does in each runtime: a list, an error, a call and its stream, and a signature.
export async function check({ Parley, NotFoundError, verifyWebhook }, { url, key, webhook }) {
  const parley = new Parley({ baseUrl: url, apiKey: key });
  const found = { agents: [], events: [] };
  for await (const agent of parley.agents.list({ limit: 1 })) found.agents.push(agent.name);
  try {
    await parley.calls.get('0193a6f0-0000-7000-8000-000000000000');
  } catch (error) {
    found.error = error instanceof NotFoundError ? error.code : String(error);
  }
  const call = await parley.calls.start({ workflow_slug: 'demo' });
  for await (const { event } of parley.calls.stream(call.call_id)) {
    if (found.events.length === 0) await parley.calls.end(call.call_id);
    found.events.push(event);
  }
  found.webhook = (await verifyWebhook(webhook.body, webhook.signature, webhook.secret)).type;
  found.forged = await verifyWebhook(webhook.body + ' ', webhook.signature, webhook.secret).then(() => false, () => true);
  return found;
}
