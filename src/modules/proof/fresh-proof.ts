import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { RecentSignIns } from '../sessions/index.js';
import { type User, UsersRepository } from '../users/index.js';
import { PasswordCheck } from './password-check.js';
import { IncorrectPassword } from './proof.errors.js';
import { type ProofStrength, STEP_UP_SECONDS, StepUpTokens } from './step-up-tokens.js';

/** What a caller offers to prove that they are still the account's owner. */
export interface OfferedProof {
  readonly currentPassword: string | undefined;
  /** The `X-Step-Up-Token` header. */
  readonly stepUpToken: string | undefined;
}

/**
 * Sensitive changes ask for a fresh proof: the current password, or a step-up token of this session; for an account
 * without a password also a provider sign-in as recent as a step-up token would be (DECISIONS 2).
 */
@Injectable()
export class FreshProof {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: PasswordCheck,
    private readonly stepUps: StepUpTokens,
    private readonly signIns: RecentSignIns,
  ) {}

  /**
   * @throws IncorrectPassword when nothing offered proves anything
   * @throws TooManySignInAttempts after ten wrong passwords
   */
  async require(scope: UserScope, { currentPassword, stepUpToken }: OfferedProof): Promise<ProofStrength> {
    const earned = stepUpToken === undefined ? null : await this.stepUps.strengthOf(scope, stepUpToken);
    if (earned !== null) return earned;
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new IncorrectPassword();
    if (user.passwordHash === null) {
      if (await this.signIns.has(scope, STEP_UP_SECONDS, 'oauth')) return 'one_factor';
      throw new IncorrectPassword();
    }
    if (currentPassword === undefined) throw new IncorrectPassword();
    await this.comparePassword(user, currentPassword);
    return 'one_factor';
  }

  /** The password itself, whatever else would do. @throws IncorrectPassword also for an account without one */
  async requirePassword(scope: UserScope, password: string): Promise<void> {
    const user = await this.users.findById(scope.userId);
    if (user === null || user.passwordHash === null) throw new IncorrectPassword();
    await this.comparePassword(user, password);
  }

  private async comparePassword(user: User, password: string): Promise<void> {
    const { isCorrect } = await this.passwords.ofAccount(user, password);
    if (!isCorrect) throw new IncorrectPassword();
  }
}
