import { domainError } from '../../../platform/http/domain-error.js';

export class InvalidApiKey extends domainError(401, 'Invalid API key') {}
/** Refuses an expired key everywhere, and a revoked key on reads. */
export class ApiKeyNotActive extends domainError(401, 'API key is not active') {}
/** Refuses a revoked key at ingestion. The status is 403, because the key exists and a new sign-in does not help. */
export class IngestionKeyRevoked extends domainError(403, 'API key is not active') {}
export class EventSourceDisabled extends domainError(403, 'Event source is disabled') {}
export class MissingWriteScope extends domainError(403, 'Missing required scope: events:write') {}
export class MissingReadScope extends domainError(403, 'Missing required scope: events:read') {}
export class OriginNotAllowed extends domainError(403, 'Origin is not allowed for this API key') {}

/** Foreign keys forbid a project without an organization, but a database that was repaired by hand may have one. */
export class ProjectHasNoOrganization extends domainError(400, 'Project has no organization') {}
export class ApiKeyNotFound extends domainError(404, 'API key not found') {}
export class EventSourceNotFound extends domainError(404, 'Event source not found') {}
export class ApiKeyRevoked extends domainError(409, 'API key has been revoked') {}
export class ApiKeyExpired extends domainError(409, 'API key has expired') {}
export class ApiKeyRotated extends domainError(409, 'API key has already been rotated') {}

/** The errors with which ingestion refuses a key. */
export const INGESTION_KEY_ERRORS = [
  InvalidApiKey,
  ApiKeyNotActive,
  IngestionKeyRevoked,
  EventSourceDisabled,
  MissingWriteScope,
  OriginNotAllowed,
] as const;
