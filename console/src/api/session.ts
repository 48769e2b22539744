import { Session, type Tokens } from '@operational-events/client';

/**
 * Where the refresh token is kept. The access token lives in this page's memory. The service keeps the refresh token in
 * a cookie that no script can read, and returns the next access token at this address.
 */
const KEEPER = '/console/session';

/**
 * Tabs of one browser share the cookie. Only one tab at a time sends a request, and every tab is notified of a
 * sign-out.
 */
const LOCK = 'console-session';
const tabs = new BroadcastChannel('console-session');

const listeners = new Set<() => void>();

export const session = new Session(null, () => {
  for (const listener of listeners) listener();
});

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isSignedIn(): boolean {
  return session.tokens !== null;
}

/** The session endpoint could not be reached, or gave an unexpected answer. */
export class SessionUnavailable extends Error {
  override readonly name = 'SessionUnavailable';

  constructor(
    readonly status: number | null,
    readonly requestId: string | null,
    options?: ErrorOptions,
  ) {
    super('The service could not be reached', options);
  }
}

/** @returns null when nobody is signed in */
export function renew(): Promise<Tokens | null> {
  return oneAtATime(() => ask('POST'));
}

/** Restores an earlier session once, at the start. A sign-in that happened meanwhile is kept. */
export async function restore(): Promise<void> {
  const found = await renew();
  if (found !== null && !isSignedIn()) session.set(found);
}

/** Gives a sign-in's refresh token to the session endpoint, which exchanges it at once. */
export async function takeOver(tokens: Tokens): Promise<void> {
  const next = await oneAtATime(() => ask('PUT', { Authorization: `Bearer ${tokens.refresh_token}` }));
  session.set(next);
  tabs.postMessage('signed in');
}

/** @returns where the browser ends its session at the provider that opened this one, or null */
export async function signOut(): Promise<string | null> {
  const next = await oneAtATime(async () => continuation(await send('DELETE')));
  session.set(null);
  tabs.postMessage('signed out');
  return next;
}

tabs.onmessage = ({ data }: MessageEvent<unknown>) => {
  if (data === 'signed out') session.set(null);
  // Another tab may have signed in as somebody else, and this page shows the data of the former person.
  if (data === 'signed in') location.reload();
};

async function ask(method: 'PUT' | 'POST', headers: Record<string, string> = {}): Promise<Tokens | null> {
  const response = await send(method, headers);
  if (response.status === 204) return null;
  const { access_token } = (await response.json()) as { access_token: string };
  return { access_token, refresh_token: '' };
}

async function send(method: 'PUT' | 'POST' | 'DELETE', headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(KEEPER, { method, headers, redirect: 'error' }).catch((cause: unknown) => {
    throw new SessionUnavailable(null, null, { cause });
  });
  if (!response.ok) throw new SessionUnavailable(response.status, response.headers.get('X-Request-ID'));
  return response;
}

/** Only a page of the web may follow, whatever the provider has configured. */
async function continuation(response: Response): Promise<string | null> {
  if (response.status === 204) return null;
  const { continue_at } = (await response.json()) as { continue_at: string };
  return /^https?:/.test(continue_at) ? continue_at : null;
}

/**
 * Browsers offer locks only on https pages and on this machine. Elsewhere the service tolerates two tabs that refresh
 * at once.
 */
function oneAtATime<T>(act: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  return locks === undefined ? act() : locks.request(LOCK, act);
}
