export { SsoSamlModule } from './saml.module.js';
