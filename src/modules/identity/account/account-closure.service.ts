import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { AuditWriter } from '../audit/index.js';
import { type AccountAct, ChangeProofService, type ProvenChange } from '../second-factors/index.js';
import { SessionsService } from '../sessions/index.js';
import { type AccountDeletion, AccountDeletionService } from '../users/index.js';
import { AccountMailer } from './account.mailer.js';

/** Deletes accounts. */
@Injectable()
export class AccountClosureService {
  constructor(
    private readonly deletion: AccountDeletionService,
    private readonly proof: ChangeProofService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditWriter,
    private readonly mails: AccountMailer,
    private readonly background: BackgroundWork,
  ) {}

  /** Deletes the account and its personal data. Audit events keep the user id. @throws AccountOwnsOrganization */
  async close(change: ProvenChange, wanted: AccountDeletion): Promise<void> {
    const { scope } = change;
    const { userId } = scope;
    const removal = async ({ tx, user }: AccountAct): Promise<{ ended: string[]; email: string }> => {
      const sessions = await this.sessions.revokeAllOf(userId, tx);
      await this.audit.record(
        { actorUserId: userId, organizationId: null, action: 'account.deleted', targetType: 'user', targetId: userId },
        tx,
      );
      await this.deletion.run(userId, wanted, tx);
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
}
