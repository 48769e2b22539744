export { AccessTokens } from './access-tokens.js';
export { CallingClient, type Client } from './client.js';
export { CredentialsReset } from './credentials-reset.js';
export { OnCredentialsReset } from './on-credentials-reset.js';
export { RecentSignIns } from './recent-sign-ins.js';
export type { SignInMethod } from './session.entity.js';
export { TokenResponse } from './sessions.dto.js';
export { SessionsModule } from './sessions.module.js';
export { SessionsService } from './sessions.service.js';
