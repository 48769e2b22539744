export { ApiKeyNotActive, InvalidApiKey, MissingReadScope, MissingWriteScope } from './api-keys.errors.js';
export { ProjectQuery } from './api-keys.dto.js';
export { ApiKeysModule } from './api-keys.module.js';
export { ApiKeysRepository } from './api-keys.repository.js';
export { KeyAuthenticator } from './key-authenticator.js';
