import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { RecentSignInsReader } from '../sessions/index.js';
import { type User, UsersReader } from '../users/index.js';
import { PasswordVerifier } from './password.verifier.js';
import { FreshSignInRequired, IncorrectPassword } from './proof.errors.js';
import { StepUpTokensRepository } from './step-up-tokens.repository.js';
import { STEP_UP_SECONDS } from './step-up-tokens.writer.js';

/** The proof of a caller that they are still the account's owner. */
export interface OfferedProof {
  readonly currentPassword: string | undefined;
  /** The `X-Step-Up-Token` header. */
  readonly stepUpToken: string | undefined;
}

/** The result of a fresh proof of the first factor, and whether the step-up token also proves a second factor. */
export interface ShownProof {
  readonly showsSecondFactor: boolean;
  /** Null when no step-up token contributed to the proof. */
  readonly stepUpToken: string | null;
  /** The stored hash that the password in the request body was compared with. Null when no password was compared. */
  readonly comparedHash: string | null;
}

/**
 * Checks the fresh proof that sensitive changes require: the current password in the body, or a step-up token of this
 * session that proves the password. An account without a password needs a step-up token that proves a passkey, or a
 * sign-in through its provider within the lifetime of a step-up token.
 */
@Injectable()
export class FreshProofService {
  constructor(
    private readonly users: UsersReader,
    private readonly passwords: PasswordVerifier,
    private readonly stepUps: StepUpTokensRepository,
    private readonly signIns: RecentSignInsReader,
  ) {}

  /**
   * @throws IncorrectPassword when the password is missing or wrong and no step-up token proves it
   * @throws FreshSignInRequired when the account has no password and no other proof was given
   * @throws TooManySignInAttempts after ten wrong passwords
   */
  async require(scope: UserScope, { currentPassword, stepUpToken }: OfferedProof): Promise<ShownProof> {
    const methods = stepUpToken === undefined ? [] : await this.stepUps.methodsOf(scope, stepUpToken);
    const shown = {
      showsSecondFactor: methods.some((method) => method !== 'password'),
      stepUpToken: methods.length === 0 ? null : (stepUpToken ?? null),
      comparedHash: null,
    };
    if (methods.includes('password')) return shown;
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new IncorrectPassword();
    if (user.passwordHash === null) {
      if (methods.includes('passkey') || (await this.signIns.has(scope, STEP_UP_SECONDS, 'oauth'))) return shown;
      throw new FreshSignInRequired();
    }
    if (currentPassword === undefined) throw new IncorrectPassword();
    await this.comparePassword(user, currentPassword);
    return { ...shown, comparedHash: user.passwordHash };
  }

  /**
   * Checks the proof again once the account's row is locked, because a concurrent change may have invalidated the
   * password or the step-up token.
   * @throws IncorrectPassword, FreshSignInRequired
   */
  async requireStillHolds(
    scope: UserScope,
    user: User,
    { stepUpToken, comparedHash }: ShownProof,
    tx: Db,
  ): Promise<void> {
    if (comparedHash !== null && comparedHash !== user.passwordHash) throw new IncorrectPassword();
    if (stepUpToken === null || (await this.stepUps.methodsOf(scope, stepUpToken, tx)).length > 0) return;
    throw user.passwordHash === null ? new FreshSignInRequired() : new IncorrectPassword();
  }

  /**
   * Requires the password itself. Other proofs are not accepted.
   * @returns the stored hash that the password was compared with. Callers check that the hash is unchanged once the
   * account's row is locked
   * @throws IncorrectPassword
   * @throws FreshSignInRequired for an account without a password
   */
  async requirePassword(scope: UserScope, password: string): Promise<string> {
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new IncorrectPassword();
    if (user.passwordHash === null) throw new FreshSignInRequired();
    await this.comparePassword(user, password);
    return user.passwordHash;
  }

  private async comparePassword(user: User, password: string): Promise<void> {
    const { isCorrect } = await this.passwords.ofAccount(user, password);
    if (!isCorrect) throw new IncorrectPassword();
  }
}
