import type { Schemas } from '@operational-events/client';
import { signInApi } from '../../api/sign-in-client.js';

export type Provider = Schemas['OAuthProvider'];

export const PROVIDERS: Readonly<Record<Provider, string>> = { google: 'Google', apple: 'Apple' };

/**
 * The data that a sign-in at a provider needs when the person comes back. It is useless without the provider's code.
 */
interface Start {
  readonly provider: Provider;
  readonly state: string;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly next?: string | undefined;
}
const START = 'console-oauth-start';

/** Returns the redirect URI, which must be registered with each provider. */
function redirectUri(): string {
  return `${location.origin}/console/oauth/callback`;
}

/** Navigates to the provider's sign-in page. */
export async function goToProvider(provider: Provider, next: string | undefined): Promise<void> {
  const body = { provider, redirect_uri: redirectUri() };
  const { authorization_url, ...start } = await signInApi.authorizeOAuth({ body });
  sessionStorage.setItem(START, JSON.stringify({ ...start, provider, next } satisfies Start));
  location.assign(authorization_url);
}

/** Returns the provider's parameters: from the query, or from after the `#` when the provider posted a form. */
export function carriedBack({ searchStr, hash }: { readonly searchStr: string; readonly hash: string }) {
  const given = new URLSearchParams(hash === '' ? searchStr : hash);
  const of = (name: string): string | undefined => given.get(name) ?? undefined;
  return { code: of('code'), state: of('state'), iss: of('iss'), user: of('user') };
}
export type CarriedBack = ReturnType<typeof carriedBack>;

/** Why the sign-in failed, in a sentence for people. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
}

/** Completes a sign-in at a provider, which is possible once. */
export async function comeBack({ code, state, iss, user }: CarriedBack) {
  const start = takeStart();
  if (start === null) throw new NotSignedIn('This sign-in was not begun in this tab, or is over. Begin it again.');
  if (code === undefined) throw new NotSignedIn(`${PROVIDERS[start.provider]} did not sign you in.`);
  if (state !== start.state) throw new NotSignedIn('The answer belongs to another sign-in. Begin it again.');
  const { provider, nonce, code_verifier, next } = start;
  const answer = await signInApi.logInWithOAuth({
    body: {
      provider,
      code,
      state,
      nonce,
      code_verifier,
      redirect_uri: redirectUri(),
      ...(iss !== undefined && { iss }),
      ...rawUserOf(user),
    },
  });
  return { answer, next };
}

/** Apple sends a name only the first time. A name that cannot be read must not prevent the sign-in. */
function rawUserOf(user: string | undefined): { raw_user?: Record<string, unknown> } {
  try {
    const read: unknown = JSON.parse(user ?? 'null');
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { raw_user: { ...read } } : {};
  } catch {
    return {};
  }
}

function takeStart(): Start | null {
  const text = sessionStorage.getItem(START);
  sessionStorage.removeItem(START);
  return text === null ? null : (JSON.parse(text) as Start);
}
