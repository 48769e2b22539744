export { SecretInUse, SecretNameInUse, type SecretReference } from './secrets.errors.js';
export { SecretsModule } from './secrets.module.js';
export { type OpenedSecret, SecretsReader } from './secrets.reader.js';
export { type NamedSecret, SecretUses } from './secret-uses.js';
