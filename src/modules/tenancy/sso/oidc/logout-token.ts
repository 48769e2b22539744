import { jwtVerify, type JWTVerifyGetKey } from 'jose';
import { errorMessage } from '../../../../platform/errors/index.js';
import { COMPANY_ALGORITHMS, OAuthFault } from '../../../identity/oauth/index.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Tolerated difference between the clocks of provider and service, in seconds. */
const TOLERANCE_SECONDS = 30;
/** Maximum age of a token in seconds. Providers send a token as soon as they have issued it. */
const MAX_AGE_SECONDS = 600;
/** How long a used token must be remembered, so that it is not accepted again. */
export const LOGOUT_TOKEN_LIFE_MS = (MAX_AGE_SECONDS + 2 * TOLERANCE_SECONDS) * 1000;
const TYPES = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];

/** A logout at the provider. At least one of `subject` and `providerSession` is set. */
export interface ProviderLogout {
  readonly subject: string | null;
  readonly providerSession: string | null;
  /** The id of the token. A token with this id is accepted only once. */
  readonly tokenId: string;
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6): signature, issuer, audience, times and event.
 * A token with a nonce is refused, so that an ID token is not accepted as a logout token.
 * @throws OAuthFault that names the first failed check
 */
export async function verifyLogoutToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId, now }: { readonly issuer: string; readonly clientId: string; readonly now: Date },
): Promise<ProviderLogout> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: COMPANY_ALGORITHMS,
    issuer,
    audience: clientId,
    requiredClaims: ['iat', 'jti'],
    clockTolerance: TOLERANCE_SECONDS,
    maxTokenAge: MAX_AGE_SECONDS,
    currentDate: now,
  }).catch((error: unknown) => {
    throw error instanceof OAuthFault ? error : new OAuthFault(`logout token refused (${errorMessage(error)})`);
  });
  const { typ } = protectedHeader;
  if (!TYPES.includes(typ?.toLowerCase())) throw new OAuthFault('logout token refused (another type of token)');
  if ('nonce' in payload) throw new OAuthFault('logout token refused (it has a nonce)');
  const events = payload['events'];
  const event: unknown = isObject(events) ? events[EVENT] : undefined;
  if (!isObject(event)) throw new OAuthFault('logout token refused (it is about no logout)');
  const [subject, providerSession] = [nameIn(payload.sub), nameIn(payload['sid'])];
  if (subject === null && providerSession === null) throw new OAuthFault('logout token refused (it names nobody)');
  const tokenId = nameIn(payload.jti);
  if (tokenId === null) throw new OAuthFault('logout token refused (no usable id)');
  return { subject, providerSession, tokenId };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a text that can be a subject or a session id, or null when the claim is missing. */
function nameIn(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(value)) {
    throw new OAuthFault('logout token refused (a name is not usable)');
  }
  return value;
}
