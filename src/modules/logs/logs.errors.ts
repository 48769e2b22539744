import { domainError } from '../../platform/http/domain-error.js';

export class LogSearchTooLong extends domainError(
  503,
  'Log search took too long: choose a shorter range or a more frequent text',
) {}
