import { Injectable } from '@nestjs/common';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import { type CheckedPassword, PasswordVerifier } from '../proof/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../security-events/index.js';
import { PasswordPolicy, type User, UsersReader } from '../users/index.js';
import type { Client } from '../sessions/index.js';
import {
  type MfaChallengeResponse,
  type OfferedFactors,
  type SignedInResponse,
  SignInGateService,
} from '../second-factors/index.js';
import type { LoginRequest } from './auth.dto.js';
import { EmailNotVerified, IncorrectCredentials } from './auth.errors.js';
import { PasswordUpgradeService } from './password-upgrade.service.js';

/** Signs users in with a password. */
@Injectable()
export class SignInService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly users: UsersReader,
    private readonly passwordCheck: PasswordVerifier,
    private readonly upgrade: PasswordUpgradeService,
    private readonly gate: SignInGateService,
    private readonly events: SecurityEventsWriter,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * Signs in with a password. An unknown address costs the same hash and gets the same response as a wrong password,
   * also when the address is locked. A disabled account is treated like an unknown address, so that its right password
   * does not clear the failed attempts.
   * @throws ProviderSignInRequired before the account is looked up
   */
  async login(
    form: LoginRequest,
    deviceToken: string | undefined,
    client: Client,
  ): Promise<SignedInResponse | MfaChallengeResponse> {
    const { username, password } = form;
    this.policy.requireAllowed(username);
    const user = await this.users.findByEmail(username);
    const enabled = user?.disabledAt === null ? user : null;
    const checked = await this.passwordCheck.ofAddress(username, enabled, password);
    if (enabled === null || enabled.passwordHash === null || !checked.isCorrect) {
      this.recordFailure(user, checked, client);
      throw new IncorrectCredentials();
    }
    if (enabled.emailVerifiedAt === null) throw new EmailNotVerified();
    const comparedHash = await this.upgrade.upgraded(enabled.id, enabled.passwordHash, password);
    try {
      return await this.gate.admit(
        enabled.id,
        { method: 'password', comparedHash },
        offeredFactors(form, deviceToken),
        client,
      );
    } catch (error) {
      throw error instanceof NotAuthenticated ? new IncorrectCredentials() : error;
    }
  }

  /**
   * Records a failed sign-in after the response. An address without an account takes the same statements, so that
   * response times do not reveal accounts.
   */
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
}

function offeredFactors(form: LoginRequest, deviceToken: string | undefined): OfferedFactors {
  return {
    otpCode: form.otp_code,
    recoveryCode: form.recovery_code,
    trustedDeviceTokens: [form.trusted_device_token, deviceToken].filter((token) => token !== undefined),
    rememberDevice: form.remember_device,
  };
}
