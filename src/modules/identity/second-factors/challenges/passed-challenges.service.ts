import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../../../platform/database/database.js';
import type { AccountAct } from '../account-transactions.js';

/** Runs in the transaction that opens the session of a passed challenge. */
export type WhenOpened = (sessionId: string, tx: Db) => Promise<void>;

/** A module's action when a sign-in challenge is passed. The action runs in the transaction of the valid answer. */
export abstract class OnChallengePassed {
  /** Takes the locks that must be taken before the lock on the account's row. By default there are none. */
  lockFirst(_challengeHash: Buffer, _tx: Db): Promise<void> {
    return Promise.resolve();
  }

  /**
   * @param challengeHash SHA-256 of the challenge token
   * @param follow registers an action that runs in the transaction that opens the session
   * @returns false when the action of the module is no longer possible, so that the sign-in is refused
   */
  abstract challengePassed(
    challengeHash: Buffer,
    act: AccountAct,
    follow: (opened: WhenOpened) => void,
  ): Promise<boolean>;
}

/** Calls every provider of the application that extends {@link OnChallengePassed}. */
@Injectable()
export class PassedChallengesService {
  constructor(private readonly discovery: DiscoveryService) {}

  async lockFirst(challengeHash: Buffer, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnChallengePassed) await instance.lockFirst(challengeHash, tx);
  }

  /** @returns the action for the session, or null when the sign-in is refused */
  async run(challengeHash: Buffer, act: AccountAct): Promise<WhenOpened | null> {
    const followers: WhenOpened[] = [];
    for (const { instance } of this.discovery.getProviders()) {
      if (!(instance instanceof OnChallengePassed)) continue;
      if (!(await instance.challengePassed(challengeHash, act, (opened) => followers.push(opened)))) return null;
    }
    return async (sessionId, tx) => {
      for (const opened of followers) await opened(sessionId, tx);
    };
  }
}
