import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import { type SecurityEventType, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { emailKeyOf, type User, UsersReader } from '../users/index.js';
import type { UserTokenPurpose } from './user-token.entity.js';
import { type TokenOwner, UserTokensRepository } from './user-tokens.repository.js';

const PAUSE_SECONDS = 60;

export interface MailedLink {
  readonly purpose: UserTokenPurpose;
  readonly lifeSeconds: number;
  /** The security event that is recorded for the request. */
  readonly event?: SecurityEventType;
  /** Returns whether the account gets the link. Other accounts are treated like addresses without an account. */
  readonly isFor: (user: User) => boolean;
  readonly mail: (user: User, token: string) => Promise<void>;
}

/**
 * Mails links that anybody may request for any address. Neither the response time nor the load on the database may
 * reveal whether the address has an account. So an address without an account takes the same statements in one
 * transaction, and mails are sent from a separate background queue.
 */
@Injectable()
export class MailedLinksService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly tokens: UserTokensRepository,
    private readonly events: SecurityEventsWriter,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * Starts the request in the background and returns at once. When the background queue is full, the request is dropped
   * and the response stays the same.
   */
  ask(email: string, client: Client, link: MailedLink): void {
    const share = addressBucket(client.ip ?? undefined);
    this.background.start('request', {
      name: `link to ${link.purpose}`,
      key: `${link.purpose} ${emailKeyOf(email)}`,
      share,
      work: async () => {
        const addressee = await this.prepare(email, client, link);
        if (addressee === null) return;
        const { user, token } = addressee;
        const work = (): Promise<void> => link.mail(user, token);
        this.background.start('mail', { name: `mail to ${link.purpose}`, share, work });
      },
    });
  }

  /**
   * Stores the token of a link. At most one token per minute is stored for an address, and the row lock makes parallel
   * requests see each other's token. Returns null when no mail is due.
   */
  private async prepare(
    email: string,
    client: Client,
    link: MailedLink,
  ): Promise<{ user: User; token: string } | null> {
    const { purpose, lifeSeconds, event } = link;
    const token = randomToken();
    return this.database.transaction(async (tx) => {
      const found = await this.users.findByEmailLocked(email, tx);
      const user = found !== null && link.isFor(found) ? found : null;
      const owner: TokenOwner = user === null ? { strangerHash: strangerHash(email) } : { userId: user.id };
      if (await this.tokens.madeWithin(owner, purpose, PAUSE_SECONDS, tx)) return null;
      const tokenHash = sha256(token);
      await this.tokens.insert({ id: newId(), ...owner, purpose, tokenHash, lifeSeconds }, tx);
      if (event !== undefined) await this.events.record({ userId: user?.id ?? null, type: event, client }, tx);
      return user === null ? null : { user, token };
    });
  }
}

function strangerHash(email: string): Buffer {
  return sha256(`stranger:${emailKeyOf(email)}`);
}
