import { domainError } from '../../../platform/http/domain-error.js';

export class EventNotFound extends domainError(404, 'Event not found') {}
export class TooManyExports extends domainError(429, 'Too many exports at once') {
  override readonly headers = { 'Retry-After': '10' };
}
