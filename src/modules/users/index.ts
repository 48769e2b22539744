export { AccountHooks, OnAccountDeleted, OnCredentialsReset } from './account-hooks.js';
export { NewPasswordField, refuseAddressAsPassword } from './new-password.js';
export { User } from './user.entity.js';
export { UsersModule } from './users.module.js';
export { emailKeyOf, UsersRepository } from './users.repository.js';
