import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { Passwords } from '../../platform/crypto/index.js';
import { UsersRepository } from '../users/index.js';
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
    private readonly passwords: Passwords,
    private readonly stepUps: StepUpTokens,
  ) {}

  /** @throws IncorrectPassword when neither proves anything */
  async require(scope: UserScope, { currentPassword, stepUpToken }: OfferedProof): Promise<void> {
    if (stepUpToken !== undefined && (await this.stepUps.isGood(scope, stepUpToken))) return;
    const user = await this.users.findById(scope.userId);
    const hash = user?.passwordHash ?? null;
    if (currentPassword === undefined || hash === null) throw new IncorrectPassword();
    if (!(await this.passwords.verify(hash, currentPassword))) throw new IncorrectPassword();
  }
}
