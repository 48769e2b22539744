export { CallingClient, type Client } from './client.js';
export { OnCredentialsReset } from './on-credentials-reset.js';
export { RecentSignIns } from './recent-sign-ins.js';
export type { SignInMethod } from './session.entity.js';
export { TokenResponse } from './sessions.dto.js';
export { SessionsModule } from './sessions.module.js';
export { SessionsService } from './sessions.service.js';
