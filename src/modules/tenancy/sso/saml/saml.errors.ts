import { domainError } from '../../../../platform/http/domain-error.js';

export class SamlConnectionNotFound extends domainError(404, 'Connection not found') {}
