import { domainError } from '../../../platform/http/domain-error.js';

export class TooManyStreams extends domainError(429, 'Too many open streams') {
  override readonly headers = { 'Retry-After': '10' };
}
