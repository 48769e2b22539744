import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Passwords, randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { PasswordCheck } from '../proof/index.js';
import { type SecurityAct, SecurityEventsRepository, SecurityEventsWriter } from '../security-events/index.js';
import { type Client, CredentialsReset, SessionsService } from '../sessions/index.js';
import { refuseAddressAsPassword, type User, UsersRepository } from '../users/index.js';
import { InvalidResetToken } from './auth.errors.js';
import { AuthMails } from './auth-mails.js';
import { linesAbout, reviewOf } from './reset-review.js';
import type { ConfirmPasswordResetRequest } from './password-reset.dto.js';
import { UserTokensRepository } from './user-tokens.repository.js';

const LIFE_SECONDS = 3600;
const PAUSE_SECONDS = 60;

/**
 * A new password for somebody who can read the account's mail. It signs nobody in and leaves the second factor as it
 * is, but ends every session and trusted device and passkeys that were added without a proof, since the old password
 * may have been in other hands. The owner is told which ways in stay and which of them are newer than they may know.
 */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly tokens: UserTokensRepository,
    private readonly passwords: Passwords,
    private readonly passwordCheck: PasswordCheck,
    private readonly sessions: SessionsService,
    private readonly reset: CredentialsReset,
    private readonly mails: AuthMails,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsRepository,
    private readonly background: BackgroundWork,
  ) {}

  /** Answers before it looks anything up, so that neither text nor time tells about the address. */
  request(email: string, client: Client): void {
    this.background.start('password reset', async () => {
      const user = await this.users.findByEmail(email);
      if (user !== null) await this.send(user, client);
    });
  }

  async isValid(token: string): Promise<boolean> {
    return (await this.tokens.find(sha256(token), 'reset_password')) !== null;
  }

  /** @throws InvalidResetToken for a token that is wrong, used or expired */
  async confirm({ token, password }: ConfirmPasswordResetRequest, client: Client): Promise<void> {
    const tokenHash = sha256(token);
    // Looked at first, so that a made-up token costs no hash.
    const found = await this.tokens.find(tokenHash, 'reset_password');
    const owner = found === null ? null : await this.users.findById(found.userId);
    if (owner === null) throw new InvalidResetToken();
    refuseAddressAsPassword(password, owner.email);
    const passwordHash = await this.passwords.hash(password);
    const { ended, email, act, review } = await this.database.transaction(async (tx) => {
      const user = await this.users.lock(owner.id, tx);
      if ((await this.tokens.consume(tokenHash, 'reset_password', user.id, tx)) === null) throw new InvalidResetToken();
      await this.tokens.revokeAll(user.id, ['reset_password', 'change_email'], tx);
      await this.users.replacePasswordHash(user.id, passwordHash, tx);
      // The token was read at the account's address, which is all that a confirmation shows.
      await this.users.markVerified(user.id, tx);
      const waysIn = await this.reset.run(user.id, tx);
      const review = reviewOf(waysIn, await this.history.lastPasswordSignIn(user.id, tx));
      const act: SecurityAct = { userId: user.id, type: 'password_reset', client, detail: review.detail };
      await this.events.record(act, tx);
      return { ended: await this.sessions.revokeAllOf(user.id, tx), email: user.email, act, review };
    });
    this.sessions.forget(ended);
    await this.passwordCheck.forgive(email);
    this.events.announce(act, email, linesAbout(review));
  }

  /** At most one mail a minute: the row lock makes parallel requests see each other's token. */
  private async send(user: User, client: Client): Promise<void> {
    const token = randomToken();
    const isDue = await this.database.transaction(async (tx) => {
      const owner = await this.users.lock(user.id, tx);
      // An address that changed meanwhile must not get a link to the account.
      if (owner.emailKey !== user.emailKey) return false;
      if (await this.tokens.madeWithin(user.id, 'reset_password', PAUSE_SECONDS, tx)) return false;
      const tokenHash = sha256(token);
      await this.tokens.insert(
        { id: newId(), userId: user.id, purpose: 'reset_password', tokenHash, lifeSeconds: LIFE_SECONDS },
        tx,
      );
      await this.events.record({ userId: user.id, type: 'password_reset_requested', client }, tx);
      return true;
    });
    if (isDue) await this.mails.passwordReset(user.email, token);
  }
}
