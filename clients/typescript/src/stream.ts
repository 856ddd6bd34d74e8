import { NetworkError, StreamError } from './errors.js';

/** A server-sent event, with its data decoded. */
interface Event {
  id: string;
  event: string;
  data: { message?: string };
}

/**
 * Decodes server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html. alive is called with each
 * chunk.
 */
async function* decode(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<Event, void, undefined> {
  const reader = body.getReader();
  const text = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const blocks = (rest + text.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): Event | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  if (fields['data'] === undefined) return undefined;
  return { id: fields['id'] ?? '', event: fields['event'] ?? '', data: JSON.parse(fields['data']) };
}

/**
 * Yields the messages of a stream until the one that says that the call has ended. A stream that breaks off, or is silent
 * for longer than silenceMs, is continued after the last message. Attempts without a message in between are limited.
 */
export async function* messages<M>(
  open: (lastId: string, signal: AbortSignal) => Promise<Response>,
  retry: (attempt: number, error: unknown) => Promise<void>,
  silenceMs: number,
  signal?: AbortSignal,
): AsyncGenerator<M, void, undefined> {
  let lastId = '';
  for (let attempt = 1; ; attempt++) {
    const silence = new AbortController();
    const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const quiet = () => setTimeout(() => silence.abort(new NetworkError('the stream is silent')), silenceMs);
    let timer = quiet();
    try {
      const answer = await open(lastId, both);
      const alive = () => {
        clearTimeout(timer);
        timer = quiet();
      };
      for await (const event of decode(answer.body!, alive)) {
        lastId = event.id || lastId;
        attempt = 0;
        if (event.event === 'error') throw new StreamError(event.data.message ?? 'the stream has ended');
        if (event.event !== 'heartbeat') yield event as M;
        if (event.event === 'ended') return;
      }
      throw new NetworkError('the stream broke off');
    } catch (error) {
      clearTimeout(timer);
      await retry(Math.max(attempt, 1), error);
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }
}
