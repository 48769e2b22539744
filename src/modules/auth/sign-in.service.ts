import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/index.js';
import { NotAuthenticated } from '../../platform/http/domain-error.js';
import type { UserScope } from '../../platform/access/index.js';
import { Passwords } from '../../platform/crypto/index.js';
import { UsersRepository } from '../users/index.js';
import { type Client, SessionsService, type TokenResponse } from '../sessions/index.js';
import { type LoginRequest, type MeResponse, meResponse } from './auth.dto.js';
import { EmailNotVerified, IncorrectCredentials } from './auth.errors.js';

/** Password sign-in and the signed-in person's own record. */
@Injectable()
export class SignInService {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A wrong address costs the same hash as a wrong password and reads the same. */
  async login({ username, password }: LoginRequest, client: Client): Promise<TokenResponse> {
    const user = await this.users.findByEmail(username);
    if (user === null || user.passwordHash === null) {
      await this.passwords.verifyDummy(password);
      throw new IncorrectCredentials();
    }
    if (!(await this.passwords.verify(user.passwordHash, password))) throw new IncorrectCredentials();
    if (user.emailVerifiedAt === null) throw new EmailNotVerified();
    if (this.passwords.needsRehash(user.passwordHash)) {
      await this.users.replacePasswordHash(user.id, await this.passwords.hash(password));
    }
    return this.sessions.open(user.id, 'password', client);
  }

  async me(scope: UserScope): Promise<MeResponse> {
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new NotAuthenticated();
    const isAdmin = user.emailVerifiedAt !== null && this.config.platformAdminEmails.includes(user.emailKey);
    return meResponse(user, isAdmin);
  }
}
