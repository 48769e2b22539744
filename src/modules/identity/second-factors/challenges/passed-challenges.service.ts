import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AccountAct } from '../account-acts.service.js';

/** What another module has hung on a sign-in challenge comes about when it is passed, in the act of the good answer. */
export abstract class OnChallengePassed {
  /**
   * @param challengeHash SHA-256 of the challenge token
   * @returns false when it cannot come about any more, and nobody is to be let in
   */
  abstract challengePassed(challengeHash: Buffer, act: AccountAct): Promise<boolean>;
}

/** Every provider of the application that is an {@link OnChallengePassed}. */
@Injectable()
export class PassedChallengesService {
  constructor(private readonly discovery: DiscoveryService) {}

  async run(challengeHash: Buffer, act: AccountAct): Promise<boolean> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnChallengePassed && !(await instance.challengePassed(challengeHash, act))) return false;
    return true;
  }
}
