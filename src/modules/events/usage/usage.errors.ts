import { domainError } from '../../../platform/http/domain-error.js';

export class UnsupportedPeriod extends domainError(422, 'period must be one of: 24h, 7d, 30d, month') {}
