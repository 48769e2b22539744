import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';

export interface NewSsoStart {
  readonly stateHash: Buffer;
  readonly browserHash: Buffer;
  readonly provider: string;
  readonly requestId: string | null;
  readonly returnTo: string | null;
  readonly lifeSeconds: number;
}

export interface StoredSsoStart {
  readonly browserHash: Buffer;
  readonly provider: string;
  readonly requestId: string | null;
  readonly returnTo: string | null;
  readonly isAlive: boolean;
}

/** Stores started sign-ins, and assertions and logout tokens that were used. All times come from the database clock. */
@Injectable()
export class SsoStartsRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(start: NewSsoStart): Promise<void> {
    await this.database.execute(
      `INSERT INTO sso_starts (state_hash, browser_hash, provider, request_id, return_to, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [start.stateHash, start.browserHash, start.provider, start.requestId, start.returnTo, start.lifeSeconds],
    );
  }

  /** Deletes and returns a start. Returns null when it does not exist, for example because it was already used. */
  async take(stateHash: Buffer): Promise<StoredSsoStart | null> {
    const [row] = await this.database.rows<StoredSsoStart>(
      `DELETE FROM sso_starts WHERE state_hash = $1
       RETURNING browser_hash AS "browserHash", provider, request_id AS "requestId", return_to AS "returnTo",
                 expires_at > now() AS "isAlive"`,
      [stateHash],
    );
    return row ?? null;
  }

  /**
   * Marks an assertion or a logout token of a provider as used.
   * @param until the time until which it could be accepted
   * @returns false when it was used before
   */
  async markUsed(provider: string, assertionHash: Buffer, until: Date, tx?: Db): Promise<boolean> {
    const inserted = await this.database.execute(
      `INSERT INTO sso_used_assertions (provider, assertion_hash, expires_at)
       VALUES ($1, $2, $3) /* tenant: of the provider */ ON CONFLICT DO NOTHING`,
      [provider, assertionHash, until],
      tx,
    );
    return inserted === 1;
  }

  async maintain(): Promise<number> {
    const starts = await this.database.execute('DELETE FROM sso_starts WHERE expires_at < now()');
    return starts + (await this.database.execute('DELETE FROM sso_used_assertions WHERE expires_at < now()'));
  }
}
