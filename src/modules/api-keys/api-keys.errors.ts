import { domainError } from '../../platform/http/domain-error.js';

export class InvalidApiKey extends domainError(401, 'Invalid API key') {}
export class ApiKeyNotActive extends domainError(403, 'API key is not active') {}
export class ApiKeyNotFound extends domainError(404, 'API key not found') {}
export class MissingWriteScope extends domainError(403, 'Missing required scope: events:write') {}
export class MissingReadScope extends domainError(403, 'Missing required scope: events:read') {}
