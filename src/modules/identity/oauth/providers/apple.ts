import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { AppleSignIn } from '../../../../config/index.js';
import type { Clock } from '../../../../platform/clock/index.js';
import type { Provider } from './provider.js';

/** Seconds; Apple allows six months, but each is used at once. */
const SECRET_LIFE_SECONDS = 300;

/** Apple's client secret is a token signed by the team's key, made anew for each request. */
export function appleProvider(settings: AppleSignIn, clock: Clock): Provider {
  const { issuer, clientId, teamId, keyId } = settings;
  const key = createPrivateKey(settings.privateKey);
  return {
    name: 'apple',
    issuer,
    clientId,
    // Apple gives name and address only to a redirect by form post.
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
