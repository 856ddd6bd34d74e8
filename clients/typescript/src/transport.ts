import { ApiError, errorOf, NetworkError, ParleyError } from './errors.js';
import { Pages, type Page } from './pages.js';
import { messages } from './stream.js';

/** How a client reaches the server. */
export interface ClientOptions {
  /** Such as https://voice.example.com. */
  baseUrl: string;
  apiKey?: string;
  /** An access token of a signed-in user, in place of an API key. */
  accessToken?: string;
  /** Headers of all requests, such as X-Requested-By for sessions in cookies. */
  headers?: Record<string, string>;
  /** The maximum number of attempts of a request: 4 by default, 1 disables retries. */
  attempts?: number;
  /** The wait before the first retry, 250 ms by default. It doubles with each retry. */
  backoffMs?: number;
  /** The limit of one attempt, 30,000 ms by default; of a stream, that of a silence. */
  timeoutMs?: number;
  /** In place of the global fetch. */
  fetch?: typeof fetch;
}

/** Options of one request. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** A file to send. */
export type Upload = Blob | BufferSource;

/** A request to the API. */
export interface Request {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** In place of a body. */
  file?: Upload;
  /** The media type of the file. */
  contentType?: string;
  headers?: Record<string, string | undefined>;
  /** Whether it may be sent again when its outcome is unknown. */
  repeatable: boolean;
}

/** Limits the wait between two attempts, including Retry-After. */
const longestWait = 30_000;

const idempotencyKey = 'Idempotency-Key';

/** Sends requests, and sends them again. */
export class Transport {
  readonly #options: Required<Omit<ClientOptions, 'apiKey' | 'accessToken' | 'headers'>>;
  readonly #headers: Record<string, string>;

  constructor({ apiKey, accessToken, headers, ...options }: ClientOptions) {
    this.#options = { attempts: 4, backoffMs: 250, timeoutMs: 30_000, fetch: (...in_) => fetch(...in_), ...options };
    this.#headers = { Accept: 'application/json', ...headers };
    if (accessToken) this.#headers.Authorization = `Bearer ${accessToken}`;
    else if (apiKey) this.#headers['X-API-Key'] = apiKey;
  }

  async nothing(request: Request, options: CallOptions): Promise<void> {
    await this.#send(request, options, (answer) => answer.arrayBuffer());
  }

  object<T>(request: Request, options: CallOptions): Promise<T> {
    return this.#send(request, options, (answer) => answer.json() as Promise<T>);
  }

  content(request: Request, options: CallOptions): Promise<Uint8Array> {
    return this.#send(request, options, async (answer) => new Uint8Array(await answer.arrayBuffer()));
  }

  page<T>(request: Request, options: CallOptions): Pages<T> {
    return new Pages((query) => this.object<Page<T>>({ ...request, query: { ...request.query, ...query } }, options));
  }

  stream<M>(request: Request, options: CallOptions): AsyncIterable<M> {
    return messages<M>(
      (lastId, signal) => this.#once(lastId ? resumed(request, lastId) : request, signal),
      (attempt, error) => this.#retry(attempt, error, request, options.signal),
      this.#options.timeoutMs,
      options.signal,
    );
  }

  /** Sends a request until it succeeds, fails permanently, or has no attempts left. */
  async #send<T>(request: Request, { signal }: CallOptions, read: (answer: Response) => Promise<T>): Promise<T> {
    const keyed = withKey(request);
    for (let attempt = 1; ; attempt++) {
      const timeout = AbortSignal.timeout(this.#options.timeoutMs);
      const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        return await read(await this.#once(keyed, both));
      } catch (error) {
        await this.#retry(attempt, error, keyed, signal);
      }
    }
  }

  /** Waits before the next attempt, or throws the error if there is to be none. */
  async #retry(attempt: number, error: unknown, request: Request, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw signal.reason;
    const known = error instanceof ParleyError ? error : new NetworkError(String(error), { cause: error });
    if (attempt >= this.#options.attempts || !worthRetrying(request, known)) throw known;
    const wait = this.#options.backoffMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    await pause(Math.min(Math.max(wait, known instanceof ApiError ? known.retryAfterMs : 0), longestWait), signal);
  }

  async #once(request: Request, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(this.#headers);
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    const init: RequestInit = { method: request.method, headers, signal };
    if (request.body !== undefined) {
      headers.set('Content-Type', 'application/json');
      init.body = JSON.stringify(request.body);
    } else if (request.file !== undefined && request.contentType !== undefined) {
      headers.set('Content-Type', request.contentType);
      init.body = request.file;
    }
    const url = this.#options.baseUrl.replace(/\/+$/, '') + request.path + encode(request.query);
    const answer = await this.#options.fetch(url, init);
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }
}

/** The operations on one kind of object. */
export abstract class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

/** Escapes a name as a segment of a path. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}

/** Makes the key of a request that can have one, so that all its attempts have the same. */
function withKey(request: Request): Request {
  if (!request.headers || !(idempotencyKey in request.headers)) return request;
  const random = crypto.getRandomValues(new Uint8Array(16));
  const made = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const headers = { ...request.headers, [idempotencyKey]: request.headers[idempotencyKey] ?? made };
  return { ...request, headers, repeatable: true };
}

function resumed(request: Request, lastId: string): Request {
  return { ...request, headers: { ...request.headers, 'Last-Event-ID': lastId } };
}

/** A 429 has changed nothing, so any request can be sent again after it. A budget that is spent stays so for long. */
function worthRetrying(request: Request, error: ParleyError): boolean {
  if (error instanceof ApiError)
    return (error.status === 429 && error.code !== 'budget_exhausted') || (error.status >= 500 && request.repeatable);
  return error instanceof NetworkError && request.repeatable;
}

function encode(query: object = {}): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) encoded.set(`${name}.${key}`, String(part));
    } else if (value !== undefined && value !== null) {
      encoded.set(name, String(value));
    }
  }
  return encoded.size > 0 ? `?${encoded}` : '';
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
