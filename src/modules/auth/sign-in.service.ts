import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/index.js';
import { NotAuthenticated } from '../../platform/http/domain-error.js';
import type { UserScope } from '../../platform/access/index.js';
import { Passwords } from '../../platform/crypto/index.js';
import { UsersRepository } from '../users/index.js';
import {
  FactorInventory,
  type MfaChallengeResponse,
  type OfferedFactors,
  type SignedInResponse,
  SignInGate,
} from '../second-factors/index.js';
import type { Client } from '../sessions/index.js';
import { type LoginRequest, type MeResponse, meResponse } from './auth.dto.js';
import { EmailNotVerified, IncorrectCredentials } from './auth.errors.js';

/** Password sign-in and the signed-in person's own record. */
@Injectable()
export class SignInService {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly gate: SignInGate,
    private readonly factors: FactorInventory,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A wrong address costs the same hash as a wrong password and reads the same. */
  async login(
    form: LoginRequest,
    deviceToken: string | undefined,
    client: Client,
  ): Promise<SignedInResponse | MfaChallengeResponse> {
    const { username, password } = form;
    const user = await this.users.findByEmail(username);
    if (user === null || user.passwordHash === null) {
      await this.passwords.verifyDummy(password);
      throw new IncorrectCredentials();
    }
    if (!(await this.passwords.verify(user.passwordHash, password))) throw new IncorrectCredentials();
    if (user.emailVerifiedAt === null) throw new EmailNotVerified();
    const comparedHash = await this.upgraded(user.id, user.passwordHash, password);
    try {
      return await this.gate.admit(
        user.id,
        { method: 'password', comparedHash },
        offeredFactors(form, deviceToken),
        client,
      );
    } catch (error) {
      throw error instanceof NotAuthenticated ? new IncorrectCredentials() : error;
    }
  }

  /** The stored hash, made anew when it is weaker than today's. */
  private async upgraded(userId: string, storedHash: string, password: string): Promise<string> {
    if (!this.passwords.needsRehash(storedHash)) return storedHash;
    const hash = await this.passwords.hash(password);
    await this.users.replacePasswordHash(userId, hash);
    return hash;
  }

  async me(scope: UserScope): Promise<MeResponse> {
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new NotAuthenticated();
    const isAdmin = user.emailVerifiedAt !== null && this.config.platformAdminEmails.includes(user.emailKey);
    return meResponse(user, isAdmin, await this.factors.of(user.id));
  }
}

function offeredFactors(form: LoginRequest, deviceToken: string | undefined): OfferedFactors {
  return {
    otpCode: form.otp_code,
    recoveryCode: form.recovery_code,
    trustedDeviceTokens: [form.trusted_device_token, deviceToken].filter((token) => token !== undefined),
    rememberDevice: form.remember_device,
  };
}
