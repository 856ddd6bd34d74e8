import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError, NotFoundError, Parley, RateLimitError, ServerError, ValidationError } from '../dist/index.js';
import { failure, serve } from './server.mjs';

test('a request has the path, the query, the credential and the body', async (t) => {
  const { parley, requests } = await serve(t, [{ body: { items: [], total: 0 } }, { body: {} }]);
  await parley.calls.list({ status: 'completed', page: 2, livemode: false, metadata: { order: 'a&b' } });
  await parley.agents.update('a/b', { display_name: 'B' });
  assert.equal(requests[0].url, '/api/v1/calls?status=completed&page=2&livemode=false&metadata.order=a%26b');
  assert.equal(requests[0].headers['x-api-key'], 'key');
  assert.equal(requests[1].method, 'PUT');
  assert.equal(requests[1].url, '/api/v1/agents/a%2Fb');
  assert.deepEqual(requests[1].body, { display_name: 'B' });
});

test('an access token is sent as bearer', async (t) => {
  const { parley, requests } = await serve(t, [{}], { apiKey: undefined, accessToken: 'token' });
  await parley.auth.me();
  assert.equal(requests[0].headers.authorization, 'Bearer token');
});

test('a read is sent again after a failure of the server', async (t) => {
  const { parley, requests } = await serve(t, [
    failure(503, 'service_unavailable'),
    failure(500, 'internal_error'),
    {},
  ]);
  await parley.agents.get('a');
  assert.equal(requests.length, 3);
});

test('a request without a key is not sent again after a failure of the server', async (t) => {
  const { parley, requests } = await serve(t, [failure(503, 'service_unavailable'), {}]);
  await assert.rejects(parley.agents.create({ name: 'a', config: {} }), ServerError);
  assert.equal(requests.length, 1);
});

test('all attempts of a call have the same idempotency key', async (t) => {
  const { parley, requests } = await serve(t, [failure(503, 'service_unavailable'), {}, {}]);
  await parley.calls.start({ workflow_slug: 'demo' });
  const [first, second] = requests.map((r) => r.headers['idempotency-key']);
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.equal(second, first);
  await parley.calls.start({ workflow_slug: 'demo' }, { idempotencyKey: 'mine' });
  assert.equal(requests[2].headers['idempotency-key'], 'mine');
});

test('a refusal for the rate is waited out, also by what may not be sent twice', async (t) => {
  const { parley, requests } = await serve(t, [failure(429, 'rate_limit_exceeded'), {}]);
  await parley.agents.create({ name: 'a', config: {} });
  assert.equal(requests.length, 2);
});

test('an error has what the server says, after the last attempt', async (t) => {
  const refused = failure(429, 'rate_limit_exceeded', { 'Retry-After': '0' });
  const later = failure(429, 'rate_limit_exceeded', { 'Retry-After': '7' });
  const { parley, requests } = await serve(t, [refused, later], { attempts: 2 });
  await assert.rejects(parley.agents.get('a'), (error) => {
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.code, 'rate_limit_exceeded');
    assert.equal(error.status, 429);
    assert.equal(error.requestId, 'r1');
    assert.equal(error.retryAfterMs, 7000);
    return true;
  });
  assert.equal(requests.length, 2);
});

test('a validation error names the fields', async (t) => {
  const details = [{ field: 'config.llm', message: 'is required' }];
  const body = { error: { code: 'validation_error', message: 'm', details } };
  const { parley } = await serve(t, [{ status: 422, body }]);
  await assert.rejects(parley.agents.create({ name: 'a', config: {} }), (error) => {
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(error.details, details);
    assert.match(error.message, /config\.llm: is required/);
    return true;
  });
});

test("a proxy's answer is an error without a code", async (t) => {
  const { parley } = await serve(t, [{ status: 404, body: (answer) => answer.end('<html>') }]);
  await assert.rejects(parley.agents.get('a'), (error) => error instanceof NotFoundError && error.code === '');
});

test('a server that does not answer is a network error', async (t) => {
  const { parley, requests } = await serve(t, [{ body: () => {} }], { timeoutMs: 50, attempts: 1 });
  await assert.rejects(parley.agents.get('a'), NetworkError);
  assert.equal(requests.length, 1);
  const nowhere = new Parley({ baseUrl: 'http://127.0.0.1:9', attempts: 2, backoffMs: 1 });
  await assert.rejects(nowhere.agents.get('a'), NetworkError);
});

test('a signal ends a request and its retries', async (t) => {
  const { parley } = await serve(t, [failure(503, 'service_unavailable')], { backoffMs: 60_000 });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('stopped')), 50);
  await assert.rejects(parley.agents.get('a', { signal: controller.signal }), /stopped/);
});

test('a list is a page when awaited, and all pages when iterated', async (t) => {
  const page = (names, offset) => ({ body: { items: names.map((name) => ({ name })), total: 3, limit: 2, offset } });
  const { parley, requests } = await serve(t, [page(['a', 'b'], 0), page(['a', 'b'], 0), page(['c'], 2)]);
  const { items, total } = await parley.agents.list({ limit: 2 });
  assert.equal(items.length, 2);
  assert.equal(total, 3);
  const names = [];
  for await (const agent of parley.agents.list({ limit: 2 })) names.push(agent.name);
  assert.deepEqual(names, ['a', 'b', 'c']);
  assert.equal(requests[2].url, '/api/v1/agents?limit=2&offset=2');
});

test('a list of calls is paged by number', async (t) => {
  const page = (id, page) => ({ body: { items: [{ id }], total: 2, page, page_size: 1, pages: 2 } });
  const { parley, requests } = await serve(t, [page('a', 1), page('b', 2)]);
  const ids = [];
  for await (const call of parley.calls.list({ page_size: 1 })) ids.push(call.id);
  assert.deepEqual(ids, ['a', 'b']);
  assert.equal(requests[1].url, '/api/v1/calls?page_size=1&page=2');
});
