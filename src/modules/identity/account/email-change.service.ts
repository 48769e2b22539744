import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database } from '../../../platform/database/database.js';
import { constraintOf } from '../../../platform/http/error.filter.js';
import { newId } from '../../../platform/ids/index.js';
import { UserTokensRepository } from '../auth/index.js';
import { ChangeProofService, type ProvenChange } from '../second-factors/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../security-events/index.js';
import { type Client, SessionsService } from '../sessions/index.js';
import { emailKeyOf, UsersRepository } from '../users/index.js';
import { InvalidEmailChangeToken } from './account.errors.js';
import { AccountMailer } from './account.mailer.js';

const LIFE_SECONDS = 3600;
/** An account can have a handful of addresses mailed in an hour: enough for typing errors, useless for spam. */
const MOST_MAILS = 5;

/** A new address, confirmed by its mail and announced to the old one. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly tokens: UserTokensRepository,
    private readonly proof: ChangeProofService,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMailer,
    private readonly events: SecurityEventsWriter,
    private readonly background: BackgroundWork,
  ) {}

  /** Looks at the new address after the answer only, so that neither text nor time tells whether it is taken. */
  async request(change: ProvenChange, email: string): Promise<void> {
    await this.proof.require(change);
    const { scope, client } = change;
    this.background.start('request', {
      name: 'e-mail change',
      key: `e-mail change of ${scope.userId} to ${emailKeyOf(email)}`,
      share: scope.userId,
      work: async () => {
        const token = randomToken();
        if (!(await this.prepare(scope, email, token, client))) return;
        this.background.start('mail', {
          name: 'mail to a new address',
          share: scope.userId,
          work: () => this.mails.confirmNewAddress(email, token),
        });
      },
    });
  }

  /** @returns the new address. @throws InvalidEmailChangeToken, also when the address was taken meanwhile */
  async confirm(token: string, client: Client): Promise<string> {
    const tokenHash = sha256(token);
    const found = await this.tokens.find(tokenHash, 'change_email');
    const newEmail = found?.email ?? null;
    if (found === null || newEmail === null) throw new InvalidEmailChangeToken();
    const act: SecurityAct = { userId: found.userId, type: 'email_changed', client, detail: { email: newEmail } };
    try {
      await this.database.transaction(async (tx) => {
        const user = await this.users.lock(found.userId, tx);
        if ((await this.tokens.consume(tokenHash, 'change_email', user.id, tx)) === null)
          throw new InvalidEmailChangeToken();
        // Whatever was mailed to the old address must not open the account any more.
        await this.tokens.revokeAll(user.id, ['verify_email', 'reset_password', 'change_email'], tx);
        await this.users.changeEmail(user.id, newEmail, tx);
        await this.events.record({ ...act, noticeTo: user.email }, tx);
      });
      this.events.announce(act);
      return newEmail;
    } catch (error) {
      throw constraintOf(error) === 'uq_users_email_key' ? new InvalidEmailChangeToken() : error;
    }
  }

  /** Only the newest request counts. @returns whether a mail is due */
  private prepare(scope: UserScope, email: string, token: string, client: Client): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const { id: userId } = await this.users.lock(scope.userId, tx);
      await this.sessions.requireAlive(scope, tx);
      if ((await this.tokens.countWithin(userId, 'change_email', LIFE_SECONDS, tx)) >= MOST_MAILS) return false;
      await this.tokens.revokeAll(userId, ['change_email'], tx);
      const tokenHash = sha256(token);
      await this.tokens.insert(
        { id: newId(), userId, purpose: 'change_email', tokenHash, lifeSeconds: LIFE_SECONDS, email },
        tx,
      );
      await this.events.record({ userId, type: 'email_change_requested', client, detail: { email } }, tx);
      const holder = await this.users.findByEmail(email, tx);
      return holder === null || holder.id === userId;
    });
  }
}
