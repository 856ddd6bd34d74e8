import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForbiddenError, NetworkError, StreamError } from '../dist/index.js';
import { failure, serve } from './server.mjs';

const headers = { 'Content-Type': 'text/event-stream' };

/** A stream of messages in chunks, then closed, cut off, or left open. */
function stream(messages, close = 'end') {
  return {
    headers,
    body: async (answer) => {
      const text = messages
        .map(([id, event, data]) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        .join('');
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 7) {
        answer.write(bytes.subarray(at, at + 7));
        await new Promise((done) => setImmediate(done));
      }
      if (close === 'end') answer.end();
      if (close === 'cut') answer.destroy();
    },
  };
}

async function collect(messages) {
  const all = [];
  for await (const message of messages) all.push(message);
  return all;
}

test('a stream ends with its call, without heartbeats', async (t) => {
  const said = { call_id: 'c', role: 'user', content: 'Grüße' };
  const { parley, requests } = await serve(t, [
    stream(
      [
        ['1', 'connected', {}],
        ['2', 'heartbeat', {}],
        ['3', 'transcript', said],
        ['4', 'ended', { final_status: 'completed' }],
      ],
      'open',
    ),
  ]);
  const all = await collect(parley.calls.stream('c'));
  assert.deepEqual(
    all.map((m) => m.event),
    ['connected', 'transcript', 'ended'],
  );
  assert.deepEqual(all[1], { id: '3', event: 'transcript', data: said });
  assert.equal(requests[0].url, '/api/v1/sse/calls/c/stream');
});

for (const close of ['end', 'cut']) {
  test(`a stream that breaks off (${close}) is continued after the last message`, async (t) => {
    const { parley, requests } = await serve(t, [
      stream(
        [
          ['1', 'connected', {}],
          ['2', 'transcript', { content: 'a' }],
        ],
        close,
      ),
      failure(503, 'service_unavailable'),
      stream([
        ['3', 'transcript', { content: 'b' }],
        ['4', 'ended', {}],
      ]),
    ]);
    const all = await collect(parley.calls.stream('c'));
    assert.deepEqual(
      all.map((m) => m.id),
      ['1', '2', '3', '4'],
    );
    assert.deepEqual(
      requests.map((r) => r.headers['last-event-id']),
      [undefined, '2', '2'],
    );
  });
}

test('a stream can begin after a message', async (t) => {
  const { parley, requests } = await serve(t, [stream([['8', 'ended', {}]])]);
  await collect(parley.calls.stream('c', { lastEventId: '7' }));
  assert.equal(requests[0].headers['last-event-id'], '7');
});

test('a stream that is silent is continued', async (t) => {
  const { parley, requests } = await serve(
    t,
    [stream([['1', 'connected', {}]], 'open'), stream([['2', 'ended', {}]])],
    { timeoutMs: 200 },
  );
  const all = await collect(parley.calls.stream('c'));
  assert.deepEqual(
    all.map((m) => m.id),
    ['1', '2'],
  );
  assert.equal(requests.length, 2);
});

test('a stream that never comes up ends after the attempts', async (t) => {
  const { parley, requests } = await serve(t, [stream([]), stream([]), stream([])], { attempts: 3 });
  await assert.rejects(collect(parley.calls.stream('c')), NetworkError);
  assert.equal(requests.length, 3);
});

test('an error message ends a stream with an error, and so does a refusal', async (t) => {
  const { parley } = await serve(t, [
    stream([['1', 'error', { message: 'there is no such call' }]]),
    failure(403, 'scope_required'),
  ]);
  await assert.rejects(
    collect(parley.calls.stream('c')),
    (error) => error instanceof StreamError && error.message === 'there is no such call',
  );
  await assert.rejects(collect(parley.calls.stream('c')), ForbiddenError);
});

test('leaving the loop closes the connection', async (t) => {
  let closed;
  const left = new Promise((done) => (closed = done));
  const open = stream([['1', 'connected', {}]], 'open');
  const { parley } = await serve(t, [
    {
      headers,
      body: (answer) => {
        answer.on('close', closed);
        void open.body(answer);
      },
    },
  ]);
  for await (const message of parley.calls.stream('c')) {
    assert.equal(message.event, 'connected');
    break;
  }
  await left;
});
