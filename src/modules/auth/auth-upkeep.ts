import { Injectable } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository.js';
import { UserTokensRepository } from './user-tokens.repository.js';

/** What the maintenance job asks of this module. */
@Injectable()
export class AuthUpkeep {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: UserTokensRepository,
  ) {}

  /** Removes ended sessions and mailed tokens nobody can use any more. @returns rows removed */
  async expire(): Promise<number> {
    return (await this.sessions.deleteEnded()) + (await this.tokens.deleteExpired());
  }
}
