import { domainError } from '../../../platform/http/domain-error.js';

export class InvalidHookSignature extends domainError(401, 'Webhook signature is not valid') {}
export class HookTimestampOutOfRange extends domainError(401, 'Webhook timestamp is more than 5 minutes away') {}
