export { AccountAdmissionService } from './account-admission.service.js';
export { AccountIsDisabled, OAuthFault, ProviderUnreachable } from './oauth-fault.js';
export { OAuthModule } from './oauth.module.js';
export { OnIdentityLinked, type ProvidedMembership, type ProviderSession } from './on-identity-linked.js';
export { guardedTransport } from './providers/guarded-transport.js';
export { COMPANY_ALGORITHMS } from './providers/id-token.js';
export { ProviderConnection } from './providers/provider-connection.js';
export type { CompanyPerson, CompanySettings, Provider, ProviderPerson } from './providers/provider.js';
