import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { AuditWriter } from '../audit/index.js';
import { MailedTokensService } from '../auth/index.js';
import {
  type AccountAct,
  AccountTransactions,
  FactorInventoryReader,
  type Factors,
  SecondFactorsRemovalService,
} from '../second-factors/index.js';
import { type Client, SessionsService } from '../sessions/index.js';
import { CredentialsWriter, type User, UsersReader } from '../users/index.js';

/** An operator's command has no address and no user agent. */
const OPERATOR: Client = { ip: null, userAgent: null };

export interface AccountDetails {
  readonly user: User;
  readonly factors: Factors;
  /** The number of active sessions. */
  readonly sessions: number;
}

/**
 * Changes the accounts of other users for operators of the service. Each change ends every session of the account,
 * mails its owner, and is in the audit log without an actor.
 */
@Injectable()
export class AccountAdministrationService {
  constructor(
    private readonly users: UsersReader,
    private readonly transactions: AccountTransactions,
    private readonly inventory: FactorInventoryReader,
    private readonly factors: SecondFactorsRemovalService,
    private readonly credentials: CredentialsWriter,
    private readonly tokens: MailedTokensService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditWriter,
  ) {}

  list(page: { readonly limit: number; readonly offset: number }): Promise<[User[], number]> {
    return this.users.list(page);
  }

  /** Returns null when no account has the address. */
  find(email: string): Promise<User | null> {
    return this.users.findByEmail(email);
  }

  async detailsOf(user: User): Promise<AccountDetails> {
    const [factors, sessions] = await Promise.all([this.inventory.of(user.id), this.sessions.countOf(user.id)]);
    return { user, factors, sessions };
  }

  /** Removes all second factors. @returns the factors that the account had, and how many sessions were ended */
  async resetFactors(userId: UserId): Promise<{ had: Factors; sessions: number }> {
    const { result: had, sessions } = await this.run(userId, 'mfa_reset', async (act) => {
      const factors = await this.factors.run(act);
      const detail = { totp: factors.totp, passkeys: factors.passkeys, recovery_codes: factors.recoveryCodes };
      await act.note('second_factors_reset', detail);
      return factors;
    });
    return { had, sessions };
  }

  /**
   * Keeps the account from signing in, and revokes the links that were mailed to it.
   * @returns how many sessions were ended
   */
  async disable(userId: UserId): Promise<{ sessions: number }> {
    const { sessions } = await this.run(userId, 'disabled', async ({ tx, user, note }) => {
      await this.credentials.setDisabled(user.id, true, tx);
      await this.tokens.revoke(user.id, ['reset_password', 'change_email', 'verify_email'], tx);
      if (user.disabledAt === null) await note('account_disabled');
    });
    return { sessions };
  }

  async enable(userId: UserId): Promise<void> {
    await this.run(userId, 'enabled', async ({ tx, user, note }) => {
      await this.credentials.setDisabled(user.id, false, tx);
      if (user.disabledAt !== null) await note('account_enabled');
    });
  }

  private async run<T>(
    userId: UserId,
    what: string,
    work: (act: AccountAct) => Promise<T>,
  ): Promise<{ result: T; sessions: number }> {
    const { result, ended } = await this.transactions.run(userId, OPERATOR, async (act) => {
      const done = await work(act);
      const action = `account.${what}`;
      await this.audit.record(
        { actorUserId: null, organizationId: null, action, targetType: 'user', targetId: userId },
        act.tx,
      );
      return { result: done, ended: await this.sessions.revokeAllOf(userId, act.tx) };
    });
    this.sessions.forget(ended);
    return { result, sessions: ended.length };
  }
}
