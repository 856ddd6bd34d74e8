/** Call is what the page shows of its call, besides the transcript. */
export interface Call {
  phase: 'dialled' | 'answered' | 'connected';
  mode: 'bridge' | 'announce' | 'consult';
  summary: string;
  phone_number: string | null;
  caller_name: string | null;
  agent: string;
  user_context: { name: string; value: string }[];
  closes_at: string | null;
}

/** Entry is an entry of the transcript. */
export interface Entry {
  role: 'user' | 'assistant' | 'system';
  content: string;
  agent: string | null;
  timestamp: string;
}

/** Refusal is why the server shows nothing. */
export type Refusal = 'unknown' | 'expired' | 'over' | 'used' | 'busy' | 'unreachable';

const refusals: Record<string, Refusal> = {
  authentication_error: 'unknown',
  invalid_token: 'unknown',
  token_expired: 'expired',
  key_revoked: 'over',
  conflict: 'used',
  rate_limit_exceeded: 'busy',
};

async function ask(path: string, init: RequestInit): Promise<Response | Refusal> {
  try {
    const response = await fetch(path, { ...init, headers: { 'X-Requested-By': 'page', ...init.headers } });
    if (response.ok) return response;
    const problem = (await response.json()) as { error?: { code?: string } };
    return refusals[problem.error?.code ?? ''] ?? 'unreachable';
  } catch {
    return 'unreachable';
  }
}

/** open uses the link up: from then on this browser alone may read the call. */
export async function open(page: string, secret: string): Promise<Refusal | undefined> {
  const answer = await ask(`${page}/open`, {
    method: 'POST',
    body: JSON.stringify({ secret }),
    headers: { 'Content-Type': 'application/json' },
  });
  return typeof answer === 'string' ? answer : undefined;
}

/** read returns what this browser may see of the call. */
export async function read(page: string): Promise<Call | Refusal> {
  const answer = await ask(`${page}/call`, {});
  return typeof answer === 'string' ? answer : ((await answer.json()) as Call);
}

interface Listener {
  call: (call: Call) => void;
  entry: (entry: Entry) => void;
  /** The page may show nothing any more, or the stream was refused. */
  over: () => void;
}

/** listen follows the call until its end, or until the returned function is called. */
export function listen(page: string, to: Listener): () => void {
  const source = new EventSource(`${page}/stream`);
  const on = <T>(name: string, handle: (data: T) => void) => {
    source.addEventListener(name, (event) => handle(JSON.parse((event as MessageEvent<string>).data) as T));
  };
  on<Call>('page', to.call);
  on<Entry>('transcript', to.entry);
  source.addEventListener('ended', () => source.close());
  source.addEventListener('over', () => {
    source.close();
    to.over();
  });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) to.over();
  });
  return () => source.close();
}
