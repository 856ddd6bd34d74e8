const path = '/api/v1/auth/session';
const headers = { 'X-Requested-By': 'dashboard' };

/** The time, on this machine's clock, when a tab of this browser renewed the session. */
const renewedKey = 'parley.session.renewed';

/** Tabs tell each other of the end of the session. */
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('parley.session') : undefined;

/** isFresh reports whether another tab has renewed the session since a request was begun. */
export function isFresh(renewed: string | null, begun: number): boolean {
  const at = Number(renewed);
  return Number.isFinite(at) && at >= begun;
}

/**
 * renewSession renews the session in the cookies and reports whether there is one; undefined while the server does not say.
 * Tabs do so one after the other: the cookies are the same, so that one renewal is enough for all.
 */
export async function renewSession(begun = Date.now()): Promise<boolean | undefined> {
  const renew = async () => {
    if (isFresh(localStorage.getItem(renewedKey), begun)) return true;
    try {
      const response = await fetch(`${path}/refresh`, { method: 'POST', headers });
      if (response.ok) localStorage.setItem(renewedKey, String(Date.now()));
      return response.ok || (response.status === 401 ? false : undefined);
    } catch {
      return undefined;
    }
  };
  return navigator.locks ? navigator.locks.request('parley.session', renew) : renew();
}

/** signIn returns the server's answer to a sign-in. */
export async function signIn(email: string, password: string): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (response.ok) localStorage.setItem(renewedKey, String(Date.now()));
  return response;
}

/** hadSession reports whether this browser was signed in and has not signed out. */
export const hadSession = () => localStorage.getItem(renewedKey) !== null;

/** signOut ends the session in all tabs. It reports false, and nothing has changed, if the server does not confirm that. */
export async function signOut(): Promise<boolean> {
  try {
    const response = await fetch(path, { method: 'DELETE', headers });
    if (!response.ok) return false;
  } catch {
    return false;
  }
  localStorage.removeItem(renewedKey);
  channel?.postMessage('ended');
  return true;
}

/** onSessionEnded calls f when another tab has ended the session. */
export function onSessionEnded(f: () => void): () => void {
  channel?.addEventListener('message', f);
  return () => channel?.removeEventListener('message', f);
}
