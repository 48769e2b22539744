import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { AccountAct } from '../account-transactions.js';
import { SecondFactorFailuresRepository } from './second-factor-failures.repository.js';
import { SignInChallengesRepository } from './sign-in-challenges.repository.js';

const LIMIT = 20;
const WINDOW_SECONDS = 900;
const LOCK_SECONDS = 900;

/**
 * Counts the failures of all second factors of an account together, separately from password failures. The 20th failure
 * within 15 minutes locks the second factor for 15 minutes. Callers lock the account's row, so that parallel answers
 * are counted one by one.
 */
@Injectable()
export class SecondFactorLockService {
  constructor(
    private readonly failures: SecondFactorFailuresRepository,
    private readonly challenges: SignInChallengesRepository,
  ) {}

  /** Returns the seconds until the lock ends, or null when the account is not locked. */
  secondsLeft(userId: UserId, db?: Db): Promise<number | null> {
    return this.failures.secondsLeft(userId, db);
  }

  /** Counts a failure. The failure that causes the lock also ends every half-finished sign-in of the account. */
  async countFailure({ tx, user, note }: AccountAct, method: string): Promise<void> {
    await note('second_factor_failed', { method });
    if ((await this.failures.add(user.id, WINDOW_SECONDS, tx)) < LIMIT) return;
    await this.failures.lock(user.id, LOCK_SECONDS, tx);
    await this.challenges.closeAllOf(user.id, tx);
    await note('second_factor_locked');
  }

  /** Deletes the counted failures after a valid answer. */
  async reset({ tx, user }: AccountAct): Promise<void> {
    await this.failures.remove(user.id, tx);
  }
}
