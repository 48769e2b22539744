import type { GoogleSignIn } from '../../../../config/index.js';
import type { Provider } from './provider.js';

export function googleProvider({ issuer, clientId, clientSecret }: GoogleSignIn): Provider {
  return {
    name: 'google',
    issuer,
    clientId,
    authorizationParameters: { scope: 'openid email profile' },
    clientSecret: () => clientSecret,
  };
}
