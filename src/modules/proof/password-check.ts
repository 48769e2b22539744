import { Injectable } from '@nestjs/common';
import { Passwords, sha256 } from '../../platform/crypto/index.js';
import { emailKeyOf, type User } from '../users/index.js';
import { PasswordAttemptsRepository } from './password-attempts.repository.js';
import { TooManySignInAttempts } from './proof.errors.js';

export interface CheckedPassword {
  readonly isCorrect: boolean;
  /** Whether this wrong password was the one that locks. */
  readonly locks: boolean;
}

/** Compares passwords, at most ten wrong ones in 15 minutes for each address, and for each signed-in account. */
@Injectable()
export class PasswordCheck {
  /** The end of the queue of each subject: one comparison at a time, so that right passwords in parallel never lock. */
  private readonly queues = new Map<string, Promise<void>>();

  constructor(
    private readonly attempts: PasswordAttemptsRepository,
    private readonly passwords: Passwords,
  ) {}

  /**
   * At sign-in. An address without an account or password costs the same and is locked the same.
   * @throws TooManySignInAttempts
   */
  ofAddress(address: string, user: User | null, password: string): Promise<CheckedPassword> {
    return this.guarded(signInSubject(address), user?.passwordHash ?? null, password);
  }

  /**
   * Of somebody who is signed in, counted apart, so that strangers at the login cannot lock them out of their settings.
   * @throws TooManySignInAttempts
   */
  ofAccount(user: User, password: string): Promise<CheckedPassword> {
    return this.guarded(`account:${user.id}`, user.passwordHash, password);
  }

  /** After a reset by mail: wrong guesses at the old password do not keep its owner out. */
  forgive(address: string): Promise<void> {
    return this.attempts.clear(sha256(signInSubject(address)));
  }

  private guarded(subject: string, hash: string | null, password: string): Promise<CheckedPassword> {
    const subjectHash = sha256(subject);
    return this.inTurn(subjectHash.toString('base64'), async () => {
      const reservation = await this.attempts.reserve(subjectHash);
      if (reservation.outcome === 'locked') throw new TooManySignInAttempts(reservation.secondsLeft);
      const isCorrect = await this.compare(hash, password).catch(async (error: unknown) => {
        await this.attempts.release(subjectHash, reservation.at);
        throw error;
      });
      if (isCorrect) await this.attempts.clear(subjectHash);
      return { isCorrect, locks: !isCorrect && reservation.isLast };
    });
  }

  private compare(hash: string | null, password: string): Promise<boolean> {
    return hash === null ? this.passwords.verifyDummy(password) : this.passwords.verify(hash, password);
  }

  private async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.queues.get(key) ?? Promise.resolve()).then(work);
    const end = result.then(
      () => undefined,
      () => undefined,
    );
    this.queues.set(key, end);
    try {
      return await result;
    } finally {
      if (this.queues.get(key) === end) this.queues.delete(key);
    }
  }
}

function signInSubject(address: string): string {
  return `sign-in:${emailKeyOf(address)}`;
}
