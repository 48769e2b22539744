export { AccountAdmissionService } from './account-admission.service.js';
export { AccountIsDisabled, OAuthFault } from './oauth-fault.js';
export { OAuthModule } from './oauth.module.js';
export { OnIdentityLinked, type ProvidedMembership } from './on-identity-linked.js';
export type { ProviderPerson } from './providers/provider.js';
