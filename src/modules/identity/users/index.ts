export { emailKeyOf } from './email-key.js';
export { maskedAddress } from './masked-address.js';
export { NewPasswordField, refuseAddressAsPassword } from './new-password.js';
export {
  type AccountDeletion,
  AccountDeletionService,
  AccountOwnsOrganization,
  OnAccountDeleted,
  onAccountDeleted,
} from './account-deletion.service.js';
export { CredentialsWriter } from './credentials.writer.js';
export { PasswordPolicy } from './password-policy.js';
export { isPlatformAdministrator } from './platform-administrator.js';
export { ProfilesWriter } from './profiles.writer.js';
export { RegistrationsWriter } from './registrations.writer.js';
export { User } from './user.entity.js';
export { UsersModule } from './users.module.js';
export { UsersReader } from './users.reader.js';
