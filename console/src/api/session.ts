import { Session, type Tokens } from '@operational-events/client';

/**
 * Who is signed in. The access token lives in this page's memory. The refresh token does not: the service keeps it in a cookie
 * that no script can read, and gives the next access token for it at this address.
 */
const KEEPER = '/console/session';

/** Tabs of one browser share the cookie: one of them asks at a time, and all hear of a sign-out. */
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

/** The keeper could not be asked, or answered with something else than what it is there for. */
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

/** @returns null where nobody is signed in */
export function renew(): Promise<Tokens | null> {
  return oneAtATime(() => ask('POST'));
}

/** Goes on with a session of before, once at the beginning. Whoever has signed in meanwhile stays so. */
export async function restore(): Promise<void> {
  const found = await renew();
  if (found !== null && !isSignedIn()) session.set(found);
}

/** Hands a sign-in's refresh token over to the keeper, which exchanges it at once. */
export async function takeOver(tokens: Tokens): Promise<void> {
  const next = await oneAtATime(() => ask('PUT', { Authorization: `Bearer ${tokens.refresh_token}` }));
  session.set(next);
  tabs.postMessage('signed in');
}

export async function signOut(): Promise<void> {
  await oneAtATime(() => ask('DELETE'));
  session.set(null);
  tabs.postMessage('signed out');
}

tabs.onmessage = ({ data }: MessageEvent<unknown>) => {
  if (data === 'signed out') session.set(null);
  // Another tab may have signed in as somebody else: what is shown here would be the former one's.
  if (data === 'signed in') location.reload();
};

async function ask(method: 'PUT' | 'POST' | 'DELETE', headers: Record<string, string> = {}): Promise<Tokens | null> {
  const response = await fetch(KEEPER, { method, headers, redirect: 'error' }).catch((cause: unknown) => {
    throw new SessionUnavailable(null, null, { cause });
  });
  if (response.status === 204) return null;
  if (!response.ok) throw new SessionUnavailable(response.status, response.headers.get('X-Request-ID'));
  const { access_token } = (await response.json()) as { access_token: string };
  return { access_token, refresh_token: '' };
}

/** Browsers have locks on pages of https and of this machine; elsewhere two tabs that ask at once are in the service's patience. */
function oneAtATime<T>(act: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  return locks === undefined ? act() : locks.request(LOCK, act);
}
