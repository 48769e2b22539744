import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { DomainError } from '../../../platform/http/domain-error.js';
import { type SecurityAct, SecurityEventsWriter, type SecurityEventType } from '../security-events/index.js';
import { type Client, SessionLivenessCache, SessionsService } from '../sessions/index.js';
import { type User, UsersReader } from '../users/index.js';

/** The operations that add or remove a second factor. */
const FACTOR_CHANGES: ReadonlySet<SecurityEventType> = new Set([
  'totp_enabled',
  'totp_disabled',
  'passkey_added',
  'passkey_removed',
  'second_factors_reset',
]);

/** One operation on an account, while its transaction is open. */
export interface AccountAct {
  readonly tx: Db;
  readonly user: User;
  readonly client: Client;
  /**
   * Records a security event in the transaction. The mail to the owner, where the event type has one, is sent after the
   * commit.
   */
  readonly note: (type: SecurityEventType, detail?: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** A refusal whose transaction still commits, for example to keep a counted failure. */
export class Refused {
  constructor(readonly error: DomainError) {}
}

/** Takes the locks that must be taken before the lock on the account's row. */
export type LockFirst = (tx: Db) => Promise<unknown>;

/**
 * Runs operations on one account one after another. Each one locks the account's row until its commit, so that
 * single-use codes are used once and failures are counted exactly.
 */
@Injectable()
export class AccountTransactions {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly events: SecurityEventsWriter,
    private readonly sessions: SessionsService,
    private readonly liveness: SessionLivenessCache,
  ) {}

  /**
   * Runs an operation of a signed-in user. The operation must not outlive the session, so a session that was just
   * revoked changes nothing.
   */
  runAs<T>(
    scope: UserScope,
    client: Client,
    work: (act: AccountAct) => Promise<T | Refused>,
    lockFirst?: LockFirst,
  ): Promise<T> {
    const aliveWork = async (act: AccountAct): Promise<T | Refused> => {
      await this.sessions.requireAlive(scope, act.tx);
      return work(act);
    };
    return this.run<T>(scope.userId, client, aliveWork, lockFirst);
  }

  /**
   * Runs an operation. A thrown error rolls the transaction back. A returned {@link Refused} commits the transaction
   * and its error is thrown afterwards.
   */
  async run<T>(
    userId: UserId,
    client: Client,
    work: (act: AccountAct) => Promise<T | Refused>,
    lockFirst?: LockFirst,
  ): Promise<T> {
    const noted: SecurityAct[] = [];
    const result = await this.database.transaction(async (tx) => {
      await lockFirst?.(tx);
      const owner = await this.users.lock(userId, tx);
      const note: AccountAct['note'] = async (type, detail) => {
        const event: SecurityAct = { userId, type, client, detail };
        await this.events.record(event, tx);
        noted.push(event);
      };
      const done = await work({ tx, user: owner, client, note });
      if (noted.some(changesFactors)) await this.liveness.announceFactors(userId, tx);
      return done;
    });
    if (noted.some(changesFactors)) this.liveness.forgetFactors(userId);
    for (const event of noted) this.events.announce(event);
    if (result instanceof Refused) throw result.error;
    return result;
  }
}

function changesFactors({ type }: SecurityAct): boolean {
  return FACTOR_CHANGES.has(type);
}
