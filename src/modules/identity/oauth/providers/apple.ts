import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { AppleSignIn } from '../../../../config/index.js';
import type { Clock } from '../../../../platform/clock/index.js';
import type { Provider, ProviderName } from './provider.js';

/** Lifetime of a client secret in seconds. Apple allows six months, but each secret is used at once. */
const SECRET_LIFE_SECONDS = 300;

/**
 * Returns the settings of Apple. Apple's client secret is a token that the team's key signs, created for each request.
 */
export function appleProvider(settings: AppleSignIn, clock: Clock): Provider<ProviderName> {
  const { issuer, clientId, teamId, keyId } = settings;
  const key = createPrivateKey(settings.privateKey);
  return {
    name: 'apple',
    issuer,
    clientId,
    // Apple sends name and address only when the redirect is a form post.
    authorizationParameters: { scope: 'openid name email', response_mode: 'form_post' },
    clientSecret: () => {
      const now = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .setIssuer(teamId)
        .setSubject(clientId)
        .setAudience(issuer)
        .setIssuedAt(now)
        .setExpirationTime(now + SECRET_LIFE_SECONDS)
        .sign(key);
    },
  };
}
