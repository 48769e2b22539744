import { domainError } from '../../platform/http/domain-error.js';

export class IncorrectPassword extends domainError(403, 'Incorrect password') {}
