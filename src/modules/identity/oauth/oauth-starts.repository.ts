import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import type { ProviderName } from './providers/provider.js';

export interface NewStart {
  readonly nonceHash: Buffer;
  readonly provider: ProviderName;
  readonly stateHash: Buffer;
  readonly verifierHash: Buffer;
  readonly redirectUriHash: Buffer;
  readonly lifeSeconds: number;
}

export interface StoredStart {
  readonly provider: string;
  readonly state_hash: Buffer;
  readonly verifier_hash: Buffer;
  readonly redirect_uri_hash: Buffer;
  readonly alive: boolean;
}

/**
 * Stores the sign-ins that `authorize` started and the nonces that were used. All times come from the database clock.
 */
@Injectable()
export class OAuthStartsRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  async insert(start: NewStart): Promise<void> {
    await this.database.execute(
      `INSERT INTO oauth_starts (nonce_hash, provider, state_hash, verifier_hash, redirect_uri_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [start.nonceHash, start.provider, start.stateHash, start.verifierHash, start.redirectUriHash, start.lifeSeconds],
    );
  }

  /**
   * Deletes and returns the started sign-in of a nonce. Returns null when there is none, for example because it was
   * used before.
   */
  async take(nonceHash: Buffer): Promise<StoredStart | null> {
    const rows = await this.database.rows<StoredStart>(
      `DELETE FROM oauth_starts WHERE nonce_hash = $1
       RETURNING provider, state_hash, verifier_hash, redirect_uri_hash, expires_at > now() AS alive`,
      [nonceHash],
    );
    return rows[0] ?? null;
  }

  /** Marks a nonce as used. @returns false when the nonce was used before */
  async markUsed(nonceHash: Buffer, tx: Db): Promise<boolean> {
    const inserted = await this.database.execute(
      `INSERT INTO oauth_used_nonces (nonce_hash, expires_at) VALUES ($1, now() + interval '1 day')
       ON CONFLICT DO NOTHING`,
      [nonceHash],
      tx,
    );
    return inserted === 1;
  }

  async maintain(): Promise<number> {
    const starts = await this.database.execute('DELETE FROM oauth_starts WHERE expires_at < now()');
    return starts + (await this.database.execute('DELETE FROM oauth_used_nonces WHERE expires_at < now()'));
  }
}
