import { domainError } from '../../../../platform/http/domain-error.js';

export class InvalidLogoutToken extends domainError(400, 'Invalid logout token') {}
