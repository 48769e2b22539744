export { OidcLogoutService, SsoDiscoveryService, SsoOidcModule } from './oidc/index.js';
export { SsoSamlModule } from './saml/index.js';
export { SCIM_ERROR_FORM, ScimModule, ScimTokenAuthenticator } from './scim/index.js';
export { DOMAIN_CONSTRAINTS } from './settings/domains.service.js';
export { SsoRemovalModule } from './settings/sso-removal.module.js';
export { SsoSettingsModule } from './settings/sso-settings.module.js';
export { SsoModule } from './sso.module.js';
