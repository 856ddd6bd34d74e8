import { createServer } from 'node:http';
import { once } from 'node:events';
import { Parley } from '../dist/index.js';

/**
 * Starts a server whose answers are given one after the other, and a client of it. requests are those that it received; body may be a
 * function that writes a stream.
 */
export async function serve(t, answers, options = {}) {
  const requests = [];
  const server = createServer(async (request, answer) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: body && JSON.parse(body) });
    const { status = 200, headers: out = {}, body: content = {} } = answers[requests.length - 1] ?? { status: 418 };
    answer.writeHead(status, out);
    if (typeof content === 'function') content(answer);
    else answer.end(JSON.stringify(content));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  return { requests, parley: new Parley({ baseUrl, apiKey: 'key', backoffMs: 1, ...options }) };
}

export function failure(status, code, headers = {}) {
  return { status, headers: { 'X-Request-Id': 'r1', ...headers }, body: { error: { code, message: 'why' } } };
}
