export { ActiveKeysReader } from './active-keys.reader.js';
export {
  ApiKeyExpired,
  ApiKeyNotActive,
  ApiKeyNotFound,
  ApiKeyRevoked,
  ApiKeyRotated,
  EventSourceDisabled,
  EventSourceNotFound,
  INGESTION_KEY_ERRORS,
  InvalidApiKey,
  MissingReadScope,
  OriginNotAllowed,
  ProjectHasNoOrganization,
} from './api-keys.errors.js';
export { ApiKeyResponse, CreatedApiKeyResponse, ProjectQuery, RotateApiKeyRequest } from './api-keys.dto.js';
export { ApiKeysModule } from './api-keys.module.js';
export { ApiKeysService } from './api-keys.service.js';
export { BrowserIngestionMiddleware } from './browser-ingestion.middleware.js';
export { CREDENTIAL_LOOKUPS } from './credential-lookups.js';
export { KeyAdministrationService } from './key-administration.service.js';
export { KeyAuthenticator } from './key-authenticator.js';
export { KeyChangesService } from './key-changes.service.js';
export { KeyIssuer } from './key-issuer.js';
