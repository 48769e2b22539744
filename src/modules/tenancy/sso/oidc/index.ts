export { OidcLogoutService } from './oidc-logout.service.js';
export { SsoDiscoveryService } from './sso-discovery.service.js';
export { SsoOidcModule } from './sso-oidc.module.js';
