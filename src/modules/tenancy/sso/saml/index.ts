export { MetadataFault, type MetadataSettings, settingsFromMetadata } from './idp-metadata.js';
export { addressesOf } from './service-provider.js';
export { SsoSamlModule } from './saml.module.js';
