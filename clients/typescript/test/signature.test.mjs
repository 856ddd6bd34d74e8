import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SignatureError, verifyToolRequest, verifyWebhook } from '../dist/index.js';

const secret = 'whsec_secret';
const event = { id: 'evt_1', type: 'call.completed', created: 1, data: { call_id: 'c', name: 'Zoë' } };
const body = JSON.stringify(event);
const now = 1_800_000_000;
const sign = (text, at = now, key = secret) => createHmac('sha256', key).update(`${at}.${text}`).digest('hex');
const reason = (expected) => (error) => error instanceof SignatureError && error.reason === expected;
const verify = (header, text = body, at = now) => verifyWebhook(text, header, secret, { now: at * 1000 });

test('a signed body is its event, also as bytes and in an envelope', async () => {
  assert.deepEqual(await verify(`t=${now},v1=${sign(body)}`), event);
  assert.deepEqual(await verify(`t=${now},v1=${sign(body)}`, new TextEncoder().encode(body)), event);
  const wrapped = JSON.stringify({ event, delivery_id: 'dlv_1', attempt: 1, max_attempts: 5 });
  assert.deepEqual(await verify(`t=${now},v1=${sign(wrapped)}`, wrapped), event);
});

test('one of several signatures is enough', async () => {
  await verify(`t=${now},v1=${sign(body, now, 'old')},v1=${sign(body)},v0=x`);
});

test('what is not signed is refused', async () => {
  await assert.rejects(verify(undefined), reason('missing'));
  await assert.rejects(verify(`t=${now},v1=${sign(body, now, 'old')}`), reason('wrong'));
  await assert.rejects(verify(`t=${now},v1=${sign(body)}`, `${body} `), reason('wrong'));
  await assert.rejects(verify(`t=${now + 1},v1=${sign(body)}`), reason('wrong'));
  for (const malformed of [
    'x',
    `t=${now}`,
    `v1=${sign(body)}`,
    `t=${now},v1=xy`,
    `t=${now},t=${now},v1=${sign(body)}`,
    't=z,v1=00',
  ]) {
    await assert.rejects(verify(malformed), reason('format'), malformed);
  }
});

test('a time that is too far from now is refused', async () => {
  const header = `t=${now},v1=${sign(body)}`;
  await verify(header, body, now + 300);
  await verify(header, body, now - 300);
  await assert.rejects(verify(header, body, now + 301), reason('expired'));
  await assert.rejects(verify(header, body, now - 301), reason('expired'));
});

test("a tool's request is signed with its method and URL", async () => {
  const url = 'https://api.example.com/orders/7?full=1';
  const header = `t=${now},v1=${sign(`POST ${url}\n${body}`)}`;
  await verifyToolRequest('POST', url, body, header, secret, { now: now * 1000 });
  await assert.rejects(verifyToolRequest('GET', url, body, header, secret, { now: now * 1000 }), reason('wrong'));
});
