export { emailKeyOf } from './email-key.js';
export { maskedAddress } from './masked-address.js';
export { NewPasswordField, refuseAddressAsPassword } from './new-password.js';
export { AccountDeletion, AccountOwnsOrganization, OnAccountDeleted, onAccountDeleted } from './on-account-deleted.js';
export { isPlatformAdministrator } from './platform-administrator.js';
export { User } from './user.entity.js';
export { UsersModule } from './users.module.js';
export { UsersRepository } from './users.repository.js';
