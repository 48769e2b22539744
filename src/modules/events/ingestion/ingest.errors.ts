import { domainError } from '../../../platform/http/domain-error.js';

export class IdempotencyKeyReused extends domainError(
  409,
  'Idempotency-Key already used with different request payload',
) {}
export class IdempotencyKeyInProgress extends domainError(409, 'Idempotency-Key request is already in progress') {}
