import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { Passwords, sha256 } from '../../../platform/crypto/index.js';
import { emailKeyOf, type User } from '../users/index.js';
import { PasswordAttemptsRepository } from './password-attempts.repository.js';
import { TooManySignInAttempts } from './proof.errors.js';

export interface CheckedPassword {
  readonly isCorrect: boolean;
  /** Whether this wrong password was the last allowed attempt and caused the lock. */
  readonly locks: boolean;
}

/**
 * Greater than the login rate limit of one client IP address, so that only guesses from several IP addresses cause a
 * lock.
 */
const MAX_SIGN_IN_ATTEMPTS = 30;
const MAX_ACCOUNT_ATTEMPTS = 10;

interface AttemptSubject {
  readonly name: string;
  readonly share: string;
  readonly maxAttempts: number;
}

/**
 * Compares passwords. Too many wrong ones within 15 minutes lock the email address for password sign-in, or the account
 * for changes of its settings.
 */
@Injectable()
export class PasswordVerifier {
  /** Runs one comparison per subject at a time, so that parallel correct passwords never cause a lock. */
  private readonly slots = new FairSemaphore({
    parallel: 1_000,
    maxPerKey: 1,
    maxQueued: 1_000,
    maxQueuedPerKey: 32,
  });

  constructor(
    private readonly attempts: PasswordAttemptsRepository,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Compares a password at sign-in. An email address without an account or password costs the same time and is locked
   * in the same way.
   * @throws TooManySignInAttempts
   * @throws KeyOverloadedError when more than 32 comparisons for the address are waiting
   */
  ofAddress(address: string, user: User | null, password: string): Promise<CheckedPassword> {
    const name = signInSubject(address);
    const subject = { name, share: name, maxAttempts: MAX_SIGN_IN_ATTEMPTS };
    return this.guarded(subject, user?.passwordHash ?? null, password);
  }

  /**
   * Compares the password of a signed-in user. These attempts are counted separately, so that strangers at the login
   * cannot lock users out of their settings.
   * @throws TooManySignInAttempts
   */
  ofAccount(user: User, password: string): Promise<CheckedPassword> {
    const subject = { name: `account:${user.id}`, share: user.id, maxAttempts: MAX_ACCOUNT_ATTEMPTS };
    return this.guarded(subject, user.passwordHash, password);
  }

  /**
   * Clears the failed sign-in attempts of an address after a password reset by mail, so that earlier wrong guesses do
   * not keep the owner out.
   */
  forgive(address: string): Promise<void> {
    return this.attempts.clear(sha256(signInSubject(address)));
  }

  private guarded(
    { name, share, maxAttempts }: AttemptSubject,
    hash: string | null,
    password: string,
  ): Promise<CheckedPassword> {
    const subjectHash = sha256(name);
    return this.slots.run(name, async () => {
      const reservation = await this.attempts.reserve(subjectHash, maxAttempts);
      if (reservation.outcome === 'locked') throw new TooManySignInAttempts(reservation.secondsLeft);
      const isCorrect = await this.compare(hash, password, share).catch(async (error: unknown) => {
        await this.attempts.release(subjectHash, reservation.at, maxAttempts);
        throw error;
      });
      if (isCorrect) await this.attempts.clear(subjectHash);
      return { isCorrect, locks: !isCorrect && reservation.isLast };
    });
  }

  private compare(hash: string | null, password: string, share: string): Promise<boolean> {
    return hash === null ? this.passwords.verifyDummy(password, share) : this.passwords.verify(hash, password, share);
  }
}

function signInSubject(address: string): string {
  return `sign-in:${emailKeyOf(address)}`;
}
