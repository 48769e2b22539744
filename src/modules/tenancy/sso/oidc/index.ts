export { OidcLogoutService } from './oidc-logout.service.js';
export { SsoOidcModule } from './sso-oidc.module.js';
