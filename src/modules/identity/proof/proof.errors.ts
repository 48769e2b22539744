import { domainError } from '../../../platform/http/domain-error.js';

export class IncorrectPassword extends domainError(403, 'Incorrect password') {}
/** The account has no password, so the caller must sign in again or use a step-up token. */
export class FreshSignInRequired extends domainError(403, 'Sign in again to confirm this change') {}
export class TooManySignInAttempts extends domainError(429, 'Too many failed sign-in attempts') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds = 900) {
    super();
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}
