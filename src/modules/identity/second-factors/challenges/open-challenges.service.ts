import { Injectable } from '@nestjs/common';
import { UsersReader } from '../../users/index.js';
import { InvalidChallenge } from '../second-factors.errors.js';
import { type OpenChallenge, SignInChallengesRepository, stillHolds } from './sign-in-challenges.repository.js';

/** Sign-ins that wait for a second factor, by their tokens. */
@Injectable()
export class OpenChallengesService {
  constructor(
    private readonly challenges: SignInChallengesRepository,
    private readonly users: UsersReader,
  ) {}

  /** @throws InvalidChallenge for a token that is unknown, used or expired, and for one whose password was changed since */
  async get(token: string): Promise<OpenChallenge> {
    const challenge = await this.challenges.find(token);
    const user = challenge === null ? null : await this.users.findById(challenge.userId);
    if (challenge === null || user === null || !stillHolds(challenge, user.passwordHash)) throw new InvalidChallenge();
    return challenge;
  }
}
