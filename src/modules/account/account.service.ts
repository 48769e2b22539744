import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Passwords } from '../../platform/crypto/index.js';
import { Database } from '../../platform/database/database.js';
import { AuditWriter } from '../audit/index.js';
import { type MeResponse, SignInService, UserTokensRepository } from '../auth/index.js';
import { OrganizationsRepository } from '../organizations/index.js';
import { FreshProof, type OfferedProof } from '../proof/index.js';
import { type SecurityAct, SecurityEventsRepository, SecurityEventsWriter } from '../security-events/index.js';
import { type Client, SessionsService } from '../sessions/index.js';
import { AccountDeletion, refuseAddressAsPassword, UsersRepository } from '../users/index.js';
import {
  securityEventResponse,
  type SecurityEventsQuery,
  type SecurityEventsResponse,
  type UpdateAccountRequest,
} from './account.dto.js';
import { AccountOwnsOrganization } from './account.errors.js';
import { AccountMails } from './account-mails.js';

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
    private readonly proof: FreshProof,
    private readonly sessions: SessionsService,
    private readonly organizations: OrganizationsRepository,
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
   * Ends the other sessions, and makes stale what was mailed before. The session is looked at again under the row
   * lock: a reset by mail that came in between wins.
   */
  async changePassword(scope: UserScope, proof: OfferedProof, password: string, client: Client): Promise<void> {
    await this.proof.require(scope, proof);
    const passwordHash = await this.passwords.hash(password);
    const act: SecurityAct = { userId: scope.userId, type: 'password_changed', client };
    const { ended, email } = await this.database.transaction(async (tx) => {
      const user = await this.users.lock(scope.userId, tx);
      await this.sessions.requireAlive(scope, tx);
      refuseAddressAsPassword(password, user.email);
      await this.users.replacePasswordHash(user.id, passwordHash, tx);
      await this.tokens.revokeAll(user.id, ['reset_password', 'change_email'], tx);
      await this.events.record(act, tx);
      return { ended: await this.sessions.revokeAllOf(user.id, tx, scope.sessionId), email: user.email };
    });
    this.sessions.forget(ended);
    this.events.announce(act, email);
  }

  /** Deletes what is the person's; acts in the audit keep their user id. @throws AccountOwnsOrganization */
  async delete(scope: UserScope, proof: OfferedProof): Promise<void> {
    await this.proof.require(scope, proof);
    const { userId } = scope;
    const { ended, email } = await this.database.transaction(async (tx) => {
      await this.organizations.lockAllOf(scope, tx);
      const user = await this.users.lock(userId, tx);
      await this.sessions.requireAlive(scope, tx);
      if ((await this.organizations.plansOwnedBy(scope, tx)).length > 0) throw new AccountOwnsOrganization();
      const sessions = await this.sessions.revokeAllOf(userId, tx);
      await this.audit.record(
        { actorUserId: userId, organizationId: null, action: 'account.deleted', targetType: 'user', targetId: userId },
        tx,
      );
      await this.deletion.run(userId, tx);
      await this.users.delete(userId, tx);
      return { ended: sessions, email: user.email };
    });
    this.sessions.forget(ended);
    this.background.start('mail about a closed account', () => this.mails.closed(email));
  }

  async securityEvents(scope: UserScope, { limit, offset }: SecurityEventsQuery): Promise<SecurityEventsResponse> {
    const [events, total] = await this.history.list(scope, { limit, offset });
    return { items: events.map(securityEventResponse), total, limit, offset };
  }
}
