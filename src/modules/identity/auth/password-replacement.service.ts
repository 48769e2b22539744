import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { type SecurityAct, SecurityEventsReader, SecurityEventsWriter } from '../security-events/index.js';
import { type Client, CredentialsResetNotifier, SessionsService } from '../sessions/index.js';
import { UsersRepository } from '../users/index.js';
import { InvalidResetToken } from './auth.errors.js';
import { reviewOf } from './reset-review.js';
import { UserTokensRepository } from './user-tokens.repository.js';

/** Uses up a reset's token for a new password, and ends with it whatever the old one may have opened. */
@Injectable()
export class PasswordReplacementService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly tokens: UserTokensRepository,
    private readonly reset: CredentialsResetNotifier,
    private readonly sessions: SessionsService,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsReader,
  ) {}

  /** @returns the account's address. @throws InvalidResetToken for a token that was used meanwhile */
  async run(
    userId: UserId,
    { tokenHash, passwordHash }: { readonly tokenHash: Buffer; readonly passwordHash: string },
    client: Client,
  ): Promise<string> {
    const { ended, email, act } = await this.database.transaction(async (tx) => {
      const user = await this.users.lock(userId, tx);
      if ((await this.tokens.consume(tokenHash, 'reset_password', user.id, tx)) === null) throw new InvalidResetToken();
      await this.tokens.revokeAll(user.id, ['reset_password', 'change_email'], tx);
      await this.users.replacePasswordHash(user.id, passwordHash, tx);
      // The token was read at the account's address, which is all that a confirmation shows.
      await this.users.markVerified(user.id, tx);
      const waysIn = await this.reset.run(user.id, tx);
      const detail = reviewOf(waysIn, await this.history.lastPasswordSignIn(user.id, tx));
      const done: SecurityAct = { userId: user.id, type: 'password_reset', client, detail };
      await this.events.record(done, tx);
      return { ended: await this.sessions.revokeAllOf(user.id, tx), email: user.email, act: done };
    });
    this.sessions.forget(ended);
    this.events.announce(act);
    return email;
  }
}
