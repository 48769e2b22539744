export { MeResponse } from './auth.dto.js';
export { AuthModule } from './auth.module.js';
export { CurrentUserService } from './current-user.service.js';
export { MailedTokensService } from './mailed-tokens.service.js';
