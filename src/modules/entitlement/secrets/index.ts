export { SecretInUse, SecretNameInUse } from './secrets.errors.js';
export { SecretsModule } from './secrets.module.js';
export { type OpenedSecret, SecretsReader } from './secrets.reader.js';
export { type SecretUse, SecretUses } from './secret-uses.js';
