import { domainError } from '../../../platform/http/domain-error.js';

export class InvalidVerificationToken extends domainError(400, 'Invalid or expired verification token') {}
export class InvalidResetToken extends domainError(400, 'Invalid or expired reset token') {}
export class IncorrectCredentials extends domainError(401, 'Incorrect email or password') {}
export class EmailNotVerified extends domainError(403, 'Email not verified') {}
