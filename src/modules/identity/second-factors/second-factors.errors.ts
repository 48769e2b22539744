import { domainError } from '../../../platform/http/domain-error.js';

export class InvalidChallenge extends domainError(401, 'Invalid or expired challenge') {}
export class InvalidAuthenticationCode extends domainError(401, 'Invalid authentication code') {}
export class SecondFactorRequired extends domainError(403, 'Second factor required') {}
export class InvalidSetupCode extends domainError(400, 'Invalid authentication code') {}
export class InvalidPasskeyRegistration extends domainError(400, 'Invalid passkey registration') {}
export class NoPasskey extends domainError(409, 'No passkey is registered') {}
export class PasskeyNotFound extends domainError(404, 'Passkey not found') {}
export class PasskeyInUse extends domainError(409, 'Passkey is already registered') {}
export class TooManyPasskeys extends domainError(409, 'Account has too many passkeys') {}
export class TrustedDeviceNotFound extends domainError(404, 'Trusted device not found') {}
export class TwoFactorAlreadyEnabled extends domainError(409, 'Two-factor authentication is already enabled') {}
export class TwoFactorNotEnabled extends domainError(409, 'Two-factor authentication is not enabled') {}
export class TwoFactorNotPending extends domainError(409, 'No two-factor setup is pending') {}
export class TwoFactorUnavailable extends domainError(503, 'Two-factor setup is unavailable') {
  override readonly logLevel = 'warn' as const;
}

/** The second factor of an account is locked after too many failures. */
export class SecondFactorLocked extends domainError(429, 'Too many failed sign-in attempts') {
  override readonly headers: Readonly<Record<string, string>>;
  override readonly logLevel = 'warn' as const;

  constructor(secondsLeft = 900) {
    super();
    this.headers = { 'Retry-After': String(Math.max(1, Math.ceil(secondsLeft))) };
  }
}
