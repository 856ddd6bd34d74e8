// Calls operations with the TypeScript client: one for each line of the standard input, whose outcome is a line of the
// standard output.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const client = new URL('../../../clients/typescript/', import.meta.url);
const { ApiError, Parley, ParleyError } = await import(new URL('dist/index.js', client));
const operations = JSON.parse(readFileSync(new URL('src/generated/operations.json', client), 'utf8'));

const camel = (words) => words.toLowerCase().replace(/[-_](\w)/g, (_, first) => first.toUpperCase());

/** What an operation is answered with: a list has its first items, of several pages, and a stream its first messages. */
async function call({ operation, baseUrl, apiKey, accessToken, path, body, query = {}, header = {}, headers }) {
  const entry = operations[operation];
  if (!entry) throw new Error(`the generated client has no ${operation}: run make clients`);
  const parley = new Parley({ baseUrl, apiKey, accessToken, headers, attempts: 1 });
  const options = Object.fromEntries(entry.header.map((name) => [camel(name), header[name]]));
  const parameters = [...path, ...(entry.body ? [body] : []), ...(entry.upload ? [Buffer.from(body, 'base64'), 'audio/wav'] : []), ...(entry.query.length > 0 ? [query] : []), options];
  const answer = parley[camel(entry.resource)][camel(entry.method)](...parameters);
  if (entry.kind === 'content') return (await answer).length;
  if (entry.kind !== 'page' && entry.kind !== 'stream') return await answer;
  const first = [];
  for await (const one of answer) {
    if (first.push(one) === 2) break;
  }
  return entry.kind === 'page' ? { page: await answer, first } : { first };
}

for await (const line of createInterface({ input: process.stdin })) {
  let outcome;
  try {
    outcome = { answer: (await call(JSON.parse(line))) ?? null };
  } catch (error) {
    if (!(error instanceof ParleyError)) outcome = { broken: String(error.stack) };
    else if (!(error instanceof ApiError)) outcome = { error: { class: error.name, message: error.message } };
    else outcome = { error: { ...error, class: error.name, message: error.message } };
  }
  console.log(JSON.stringify(outcome));
}
