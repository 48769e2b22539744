import { domainError } from '../../../platform/http/domain-error.js';

export class TooManyPatternTrials extends domainError(503, 'Too many patterns are tried at once') {
  override readonly headers = { 'Retry-After': '2' };
}
