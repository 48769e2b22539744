export { ScimMembershipsService } from './memberships/scim-memberships.service.js';
export { SCIM_ERROR_FORM } from './protocol/scim-answer.js';
export { ScimModule } from './scim.module.js';
export { ScimTokenAuthenticator } from './tokens/scim-token.authenticator.js';
