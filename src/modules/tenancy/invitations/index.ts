export { InvitationsModule } from './invitations.module.js';
export { InvitationsRepository } from './invitations.repository.js';
