import { domainError } from '../../../../platform/http/domain-error.js';

export class MissingSignature extends domainError(400, 'Missing Provider-Signature header') {}
export class InvalidSignature extends domainError(400, 'Invalid signature') {
  override readonly logLevel = 'warn' as const;
}
export class InvalidPayload extends domainError(400, 'Invalid payload') {
  override readonly logLevel = 'warn' as const;
}
