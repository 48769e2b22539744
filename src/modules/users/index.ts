export { maskedAddress } from './masked-address.js';
export { User } from './user.entity.js';
export { UsersModule } from './users.module.js';
export { emailKeyOf, UsersRepository } from './users.repository.js';
