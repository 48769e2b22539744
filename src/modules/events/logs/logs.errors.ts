import { domainError } from '../../../platform/http/domain-error.js';

export class LogSearchTooLong extends domainError(
  503,
  'Log search took too long: choose a shorter range or a more frequent text',
) {
  override readonly headers = { 'Retry-After': '5' };
}
export class TooManyLogSearches extends domainError(503, 'Too many log searches at once') {
  override readonly headers = { 'Retry-After': '2' };
}
