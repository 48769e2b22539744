import { domainError } from '../../../platform/http/domain-error.js';

export class OAuthProviderNotConfigured extends domainError(404, 'OAuth provider is not configured') {}
export class OAuthLoginFailed extends domainError(401, 'OAuth login failed') {}
