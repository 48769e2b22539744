import { domainError } from '../../../platform/http/domain-error.js';

export class InvalidRefreshToken extends domainError(401, 'Invalid refresh token') {}
export class SessionNotFound extends domainError(404, 'Session not found') {}
export class RefreshTokenReused extends domainError(401, 'Refresh token reuse detected') {
  override readonly logLevel = 'warn' as const;
}
