import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import type { UserId, UserScope } from '../../access/index.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Passwords } from '../../../platform/crypto/index.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import { type CheckedPassword, PasswordVerifier } from '../proof/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../security-events/index.js';
import { isPlatformAdministrator, type User, UsersRepository } from '../users/index.js';
import type { Client } from '../sessions/index.js';
import {
  FactorInventoryReader,
  type MfaChallengeResponse,
  type OfferedFactors,
  type SignedInResponse,
  SignInGateService,
} from '../second-factors/index.js';
import { type LoginRequest, type MeResponse, meResponse } from './auth.dto.js';
import { EmailNotVerified, IncorrectCredentials } from './auth.errors.js';

/** Password sign-in and the signed-in person's own record. */
@Injectable()
export class SignInService {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly passwordCheck: PasswordVerifier,
    private readonly gate: SignInGateService,
    private readonly factors: FactorInventoryReader,
    private readonly events: SecurityEventsWriter,
    private readonly background: BackgroundWork,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A wrong address costs the same hash as a wrong password and reads the same, also when it is locked. */
  async login(
    form: LoginRequest,
    deviceToken: string | undefined,
    client: Client,
  ): Promise<SignedInResponse | MfaChallengeResponse> {
    const { username, password } = form;
    const user = await this.users.findByEmail(username);
    const checked = await this.passwordCheck.ofAddress(username, user, password);
    if (user === null || user.passwordHash === null || !checked.isCorrect) {
      this.recordFailure(user, checked, client);
      throw new IncorrectCredentials();
    }
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

  /**
   * The stored hash, made anew when it is weaker than today's. Of several sign-ins at once the first one's stays, and is
   * the others' too; after a change of the password the old hash lets nobody in.
   */
  private async upgraded(userId: UserId, storedHash: string, password: string): Promise<string> {
    if (!this.passwords.needsRehash(storedHash)) return storedHash;
    const hash = await this.passwords.hash(password, userId);
    if (await this.users.upgradePasswordHash(userId, storedHash, hash)) return hash;
    const present = (await this.users.findById(userId))?.passwordHash ?? null;
    return present !== null && (await this.passwords.verify(present, password, userId)) ? present : storedHash;
  }

  /** After the answer, and by the same statements for an address without an account: no time tells of one. */
  private recordFailure(user: User | null, { locks }: CheckedPassword, client: Client): void {
    const userId = user?.id ?? null;
    const work = async (): Promise<void> => {
      const failed: SecurityAct = { userId, type: 'sign_in_failed', client, detail: { method: 'password' } };
      await this.events.record(failed);
      if (!locks) return;
      const locked: SecurityAct = { userId, type: 'sign_in_locked', client };
      await this.events.record(locked);
      this.events.announce(locked);
    };
    this.background.start('record', { name: 'failed sign-in', share: addressBucket(client.ip ?? undefined), work });
  }

  async me(scope: UserScope): Promise<MeResponse> {
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new NotAuthenticated();
    const isAdmin = isPlatformAdministrator(user, this.config.platformAdminEmails);
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
