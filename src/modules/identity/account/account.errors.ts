import { domainError } from '../../../platform/http/domain-error.js';

export class InvalidEmailChangeToken extends domainError(400, 'Invalid or expired email change token') {}

export class TooManyPasswordChanges extends domainError(429, 'Too many password changes') {
  override readonly headers = { 'Retry-After': '3600' };
}
