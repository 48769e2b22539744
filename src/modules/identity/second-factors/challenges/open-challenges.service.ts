import { Injectable } from '@nestjs/common';
import { UsersReader } from '../../users/index.js';
import { InvalidChallenge } from '../second-factors.errors.js';
import { type OpenChallenge, SignInChallengesRepository, stillHolds } from './sign-in-challenges.repository.js';

/** Finds sign-ins that wait for a second factor by their challenge token. */
@Injectable()
export class OpenChallengesService {
  constructor(
    private readonly challenges: SignInChallengesRepository,
    private readonly users: UsersReader,
  ) {}

  /**
   * @throws InvalidChallenge when the token is unknown, used or expired, or the account was disabled or its password
   * has changed since
   */
  async get(token: string): Promise<OpenChallenge> {
    const challenge = await this.challenges.find(token);
    const user = challenge === null ? null : await this.users.findById(challenge.userId);
    if (challenge === null || user === null || !stillHolds(challenge, user)) throw new InvalidChallenge();
    return challenge;
  }
}
