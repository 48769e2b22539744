import type { GoogleSignIn } from '../../../../config/index.js';
import type { Provider, ProviderName } from './provider.js';

export function googleProvider({ issuer, clientId, clientSecret }: GoogleSignIn): Provider<ProviderName> {
  return {
    name: 'google',
    issuer,
    clientId,
    authorizationParameters: { scope: 'openid email profile' },
    clientSecret: () => clientSecret,
  };
}
