export { MeResponse } from './auth.dto.js';
export { AuthModule } from './auth.module.js';
export { SignInService } from './sign-in.service.js';
export { UserTokensRepository } from './user-tokens.repository.js';
