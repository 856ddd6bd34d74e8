// Serves the page, and starts a call when it asks for one. The API key stays here: a page would show it to everybody.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const parley = process.env.PARLEY ?? 'http://127.0.0.1:8080';
const key = process.env.PARLEY_API_KEY ?? readFileSync(process.env.PARLEY_API_KEY_FILE ?? 'data/demo-api-key', 'utf8').trim();
const workflow = process.env.WORKFLOW ?? 'demo';
const pages = join(fileURLToPath(new URL('.', import.meta.url)), 'dist');
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://example');
  if (request.method === 'POST' && pathname === '/call') {
    try {
      const started = await fetch(`${parley}/api/v1/calls`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ workflow_slug: workflow }),
      });
      const answer = await started.json();
      response.writeHead(started.status, { 'Content-Type': 'application/json' });
      // The page needs no more than these.
      response.end(JSON.stringify(started.ok ? { url: answer.url, token: answer.token } : { message: answer.error?.message }));
    } catch {
      response.writeHead(502, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ message: `Parley cannot be reached at ${parley}` }));
    }
    return;
  }
  const file = join(pages, normalize(pathname === '/' ? '/index.html' : pathname));
  if (request.method !== 'GET' || !file.startsWith(pages) || !existsSync(file) || !types[extname(file)]) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': types[extname(file)] });
  createReadStream(file).pipe(response);
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
