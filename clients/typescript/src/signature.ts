import { ParleyError } from './errors.js';

/** The header with a webhook's signature. */
export const signatureHeader = 'X-Webhook-Signature';

/** The header with the signature of a tool's request. */
export const toolSignatureHeader = 'X-Parley-Signature';

/** The maximum difference between a signature's time and the receiver's clock, in seconds. */
export const signatureTolerance = 300;

/** A request is not signed as it has to be. Answer it with 401. */
export class SignatureError extends ParleyError {
  override name = 'SignatureError';
  readonly reason: 'missing' | 'format' | 'wrong' | 'expired';

  constructor(reason: SignatureError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** An event of a webhook. It may be delivered more than once: deduplicate by id. */
export interface WebhookEvent {
  id: string;
  type: string;
  api_version: string;
  /** Unix seconds. */
  created: number;
  tenant_id: string;
  /** False for calls made with a test key. */
  livemode: boolean;
  data: Record<string, unknown>;
}

/** Options of the verification of a signature. */
export interface SignatureOptions {
  /** The receiver's clock, in milliseconds; Date.now() by default. */
  now?: number;
}

/**
 * Checks that body, the raw body of a request, was signed with the webhook's secret, and returns its event. The header
 * may have several signatures while a rotated secret is still valid; one must match. Throws a SignatureError.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  options: SignatureOptions = {},
): Promise<WebhookEvent> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  await verify(bytes, header, secret, options);
  const content = JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent & { event?: WebhookEvent };
  return content.event ?? content; // in the payload format envelope
}

/**
 * Checks the signature of a tool's request, which covers method, URL and body. url is the whole URL as the tool names it,
 * with scheme and host, such as https://api.example.com/orders/7?full=1. Throws a SignatureError.
 */
export async function verifyToolRequest(
  method: string,
  url: string,
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  options: SignatureOptions = {},
): Promise<void> {
  const text = new TextEncoder();
  const bytes = typeof body === 'string' ? text.encode(body) : body;
  await verify(concat(text.encode(`${method} ${url}\n`), bytes), header, secret, options);
}

async function verify(
  signed: Uint8Array,
  header: string | null | undefined,
  secret: string,
  options: SignatureOptions,
): Promise<void> {
  if (!header) throw new SignatureError('missing', 'the signature header is missing');
  if (!secret) throw new ParleyError('the secret is empty');
  const { time, signatures } = parse(header);
  const text = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', text.encode(secret), algorithm, false, ['verify']);
  const content = concat(text.encode(`${time}.`), signed);
  // verify compares in constant time.
  const fits = await Promise.all(signatures.map((s) => crypto.subtle.verify('HMAC', key, s, content)));
  if (!fits.includes(true)) throw new SignatureError('wrong', 'the signature does not fit the body and the secret');
  const age = (options.now ?? Date.now()) / 1000 - Number(time);
  if (!(Math.abs(age) <= signatureTolerance)) {
    throw new SignatureError('expired', `the signature's time is ${Math.round(age)} s from now`);
  }
}

/** Parses the header. Schemes other than v1 are ignored. */
function parse(header: string): { time: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const times = parts.filter(([name]) => name === 't').map(([, value]) => value ?? '');
  const encoded = parts.filter(([name]) => name === 'v1').map(([, value]) => value ?? '');
  const [time, another] = times;
  const hex = /^([0-9a-f]{2})+$/i;
  if (
    !time ||
    another !== undefined ||
    encoded.length === 0 ||
    !/^\d+$/.test(time) ||
    !encoded.every((s) => hex.test(s))
  ) {
    throw new SignatureError('format', 'the signature header is not t=<unix seconds>,v1=<hex>');
  }
  const bytes = (s: string) => Uint8Array.from(s.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  return { time, signatures: encoded.map(bytes) };
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
