import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { DomainError } from '../../../platform/http/domain-error.js';
import { type SecurityAct, SecurityEventsWriter, type SecurityEventType } from '../security-events/index.js';
import { type Client, SessionsService } from '../sessions/index.js';
import { type User, UsersReader } from '../users/index.js';

/** One act on an account, while its transaction is open. */
export interface AccountAct {
  readonly tx: Db;
  readonly user: User;
  readonly client: Client;
  /** Records a security event with the act; the owner is mailed about it after the commit. */
  readonly note: (type: SecurityEventType, detail?: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** An answer that refuses although what the act wrote stands, such as a counted failure. */
export class Refused {
  constructor(readonly error: DomainError) {}
}

/** Takes the locks that come before the account's row in the order of the house. */
export type LockFirst = (tx: Db) => Promise<unknown>;

/**
 * Acts on one account follow each other: each holds the account's row until its commit, so what may happen once happens
 * once and failures are counted exactly.
 */
@Injectable()
export class AccountActsService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly events: SecurityEventsWriter,
    private readonly sessions: SessionsService,
  ) {}

  /** An act of somebody signed in, which must not outlive their session: one that was just revoked changes nothing. */
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

  /** A thrown error undoes the act; a returned {@link Refused} commits it and is thrown afterwards. */
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
      return work({ tx, user: owner, client, note });
    });
    for (const event of noted) this.events.announce(event);
    if (result instanceof Refused) throw result.error;
    return result;
  }
}
