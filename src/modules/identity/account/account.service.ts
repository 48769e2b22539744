import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { Passwords } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { AuditWriter } from '../audit/index.js';
import { type MeResponse, SignInService, UserTokensRepository } from '../auth/index.js';
import { type AccountAct, ChangeProof, EarnedProofs, type ProvenChange } from '../second-factors/index.js';
import { SecurityEventsRepository, SecurityEventsWriter } from '../security-events/index.js';
import { type Client, SessionsService } from '../sessions/index.js';
import { AccountDeletion, refuseAddressAsPassword, UsersRepository } from '../users/index.js';
import {
  securityEventResponse,
  type SecurityEventsQuery,
  type SecurityEventsResponse,
  type UpdateAccountRequest,
} from './account.dto.js';
import { TooManyPasswordChanges } from './account.errors.js';
import { AccountMails } from './account-mails.js';

/** Each costs two hashes and a mail. */
const MOST_CHANGES_AN_HOUR = 10;
const HOUR_SECONDS = 3600;

/** What people change of their own account. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly deletion: AccountDeletion,
    private readonly signIn: SignInService,
    private readonly tokens: UserTokensRepository,
    private readonly passwords: Passwords,
    private readonly proof: ChangeProof,
    private readonly earned: EarnedProofs,
    private readonly sessions: SessionsService,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsRepository,
    private readonly audit: AuditWriter,
    private readonly mails: AccountMails,
    private readonly background: BackgroundWork,
  ) {}

  /** A field that is left out stays as it is. */
  async update(scope: UserScope, { name }: UpdateAccountRequest, client: Client): Promise<MeResponse> {
    if (name !== undefined) {
      await this.database.transaction(async (tx) => {
        const user = await this.users.lock(scope.userId, tx);
        if (user.name === name) return;
        await this.users.rename(user.id, name, tx);
        await this.events.record(
          { userId: user.id, type: 'profile_updated', client, detail: { fields: ['name'] } },
          tx,
        );
      });
    }
    return this.signIn.me(scope);
  }

  /**
   * Ends the other sessions, and makes stale what was mailed before and shown for a step-up. The session is looked at
   * again under the row lock: a reset by mail that came in between wins.
   * @throws TooManyPasswordChanges
   */
  async changePassword(change: ProvenChange, password: string): Promise<void> {
    const { scope } = change;
    const shown = await this.proof.begin(change);
    await this.refuseFurtherChanges(scope);
    const passwordHash = await this.passwords.hash(password, scope.userId);
    const ended = await this.proof.complete(change, shown, async ({ tx, user, note }) => {
      await this.refuseFurtherChanges(scope, tx);
      refuseAddressAsPassword(password, user.email);
      await this.users.replacePasswordHash(user.id, passwordHash, tx);
      await this.earned.endAll(user.id, tx);
      await this.tokens.revokeAll(user.id, ['reset_password', 'change_email'], tx);
      await note('password_changed');
      return this.sessions.revokeAllOf(user.id, tx, scope.sessionId);
    });
    this.sessions.forget(ended);
  }

  private async refuseFurtherChanges({ userId }: UserScope, db?: Db): Promise<void> {
    const changes = await this.history.countWithin(userId, 'password_changed', HOUR_SECONDS, db);
    if (changes >= MOST_CHANGES_AN_HOUR) throw new TooManyPasswordChanges();
  }

  /** Deletes what is the person's; acts in the audit keep their user id. @throws AccountOwnsOrganization */
  async delete(change: ProvenChange): Promise<void> {
    const { scope } = change;
    const { userId } = scope;
    const removal = async ({ tx, user }: AccountAct): Promise<{ ended: string[]; email: string }> => {
      const sessions = await this.sessions.revokeAllOf(userId, tx);
      await this.audit.record(
        { actorUserId: userId, organizationId: null, action: 'account.deleted', targetType: 'user', targetId: userId },
        tx,
      );
      await this.deletion.run(userId, tx);
      await this.users.delete(userId, tx);
      return { ended: sessions, email: user.email };
    };
    await this.background.promising(userId, async (follow) => {
      const { ended, email } = await this.proof.run(change, removal, {
        lockFirst: (tx) => this.deletion.lockFirst(userId, tx),
      });
      this.sessions.forget(ended);
      follow({ name: 'mail about a closed account', work: () => this.mails.closed(email) });
    });
  }

  async securityEvents(scope: UserScope, { limit, offset }: SecurityEventsQuery): Promise<SecurityEventsResponse> {
    const [events, total] = await this.history.list(scope, { limit, offset });
    return { items: events.map(securityEventResponse), total, limit, offset };
  }
}
