import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { UsersRepository } from '../users/index.js';
import { PasswordCheck } from './password-check.js';
import { IncorrectPassword } from './proof.errors.js';
import { StepUpTokens } from './step-up-tokens.js';

/** What a caller offers to prove that they are still the account's owner. */
export interface OfferedProof {
  readonly currentPassword: string | undefined;
  /** The `X-Step-Up-Token` header. */
  readonly stepUpToken: string | undefined;
}

/** Sensitive changes ask for a fresh proof: the current password, or a step-up token of this session (DECISIONS 2). */
@Injectable()
export class FreshProof {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: PasswordCheck,
    private readonly stepUps: StepUpTokens,
  ) {}

  /**
   * @throws IncorrectPassword when neither proves anything
   * @throws TooManySignInAttempts after ten wrong passwords
   */
  async require(scope: UserScope, { currentPassword, stepUpToken }: OfferedProof): Promise<void> {
    if (stepUpToken !== undefined && (await this.stepUps.isGood(scope, stepUpToken))) return;
    const user = await this.users.findById(scope.userId);
    if (currentPassword === undefined || user === null || user.passwordHash === null) throw new IncorrectPassword();
    const { isCorrect } = await this.passwords.ofAccount(user, currentPassword);
    if (!isCorrect) throw new IncorrectPassword();
  }
}
