import createClient from 'openapi-fetch';
import type { paths } from '../generated/schema';
import { renewSession } from './session';

/** Problem is an error answer of the API. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: { field: string; message: string }[] = [],
  ) {
    super(message);
  }
}

/** Unreachable is the error of a request that came to no answer. */
export class Unreachable extends Error {}

let leave: (() => void) | undefined;
let ended = false;

/** signedOut is called when the session has ended. */
export function signedOut() {
  if (leave) leave();
  else ended = true;
}

/** onSignedOut has f called when the session has ended, at once if it has ended before. */
export function onSignedOut(f: () => void) {
  leave = f;
  if (ended) f();
  ended = false;
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Unreachable('unreachable');
  }
}

/** sendSigned sends a request with the session's cookies, and again after renewing a session whose access token has expired. */
export async function sendSigned(request: Request): Promise<Response> {
  const again = request.clone();
  let response = await send(request);
  if (response.status === 401) {
    if (await renewSession()) response = await send(again);
    if (response.status === 401) signedOut();
  }
  return response;
}

export const api = createClient<paths>({ baseUrl: '/', headers: { 'X-Requested-By': 'dashboard' }, fetch: sendSigned });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** result is the body of an answer; anything but success is thrown as a Problem. */
export async function result<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  const body = (
    error as { error?: { code?: string; message?: string; details?: { field: string; message: string }[] } } | undefined
  )?.error;
  throw new Problem(response.status, body?.code ?? 'unknown', body?.message ?? response.statusText, body?.details);
}
