import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { RecentSignInsReader } from '../sessions/index.js';
import { type User, UsersReader } from '../users/index.js';
import { PasswordVerifier } from './password.verifier.js';
import { FreshSignInRequired, IncorrectPassword } from './proof.errors.js';
import { StepUpTokensRepository } from './step-up-tokens.repository.js';
import { STEP_UP_SECONDS } from './step-up-tokens.writer.js';

/** What a caller offers to prove that they are still the account's owner. */
export interface OfferedProof {
  readonly currentPassword: string | undefined;
  /** The `X-Step-Up-Token` header. */
  readonly stepUpToken: string | undefined;
}

/** A first factor that was shown just now, and whether a second one came along in the step-up token. */
export interface ShownProof {
  readonly showsSecondFactor: boolean;
  /** Null: the token plays no part in it. */
  readonly stepUpToken: string | null;
  /** The stored hash that a password of the body was compared with. Null: none was. */
  readonly comparedHash: string | null;
}

/**
 * Sensitive changes ask for a fresh proof (DECISIONS 2): the current password, in the body or for a step-up token of
 * this session. An account without a password shows a passkey for the token instead, or has signed in by its provider
 * as recently as a step-up token would be.
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
   * @throws IncorrectPassword when nothing offered stands for the password
   * @throws FreshSignInRequired when nothing offered stands for it and the account has none
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
   * Once the account's row is held: an act that came in between may have taken the proof's ground away.
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
   * The password itself, whatever else would do.
   * @returns the stored hash it was compared with, to be found unchanged once the account's row is held
   * @throws IncorrectPassword
   * @throws FreshSignInRequired for an account without one
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
