import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../../../platform/database/database.js';
import type { AccountAct } from '../account-acts.service.js';

/** A module's action when a sign-in challenge is passed. The action runs in the transaction of the valid answer. */
export abstract class OnChallengePassed {
  /** Takes the locks that must be taken before the lock on the account's row. By default there are none. */
  lockFirst(_challengeHash: Buffer, _tx: Db): Promise<void> {
    return Promise.resolve();
  }

  /**
   * @param challengeHash SHA-256 of the challenge token
   * @returns false when the action is no longer possible, so that the sign-in is refused
   */
  abstract challengePassed(challengeHash: Buffer, act: AccountAct): Promise<boolean>;
}

/** Calls every provider of the application that extends {@link OnChallengePassed}. */
@Injectable()
export class PassedChallengesService {
  constructor(private readonly discovery: DiscoveryService) {}

  async lockFirst(challengeHash: Buffer, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnChallengePassed) await instance.lockFirst(challengeHash, tx);
  }

  async run(challengeHash: Buffer, act: AccountAct): Promise<boolean> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnChallengePassed && !(await instance.challengePassed(challengeHash, act))) return false;
    return true;
  }
}
