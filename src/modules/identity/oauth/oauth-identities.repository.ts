import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

/** Identifies a user at a provider. An email address is never used for this. */
export interface ProviderSubject {
  readonly issuer: string;
  readonly subject: string;
}

export interface LinkedAccount {
  readonly user_id: UserId;
  readonly email: string;
  readonly verified: boolean;
  readonly disabled: boolean;
}

/** Stores which account is linked to which subject of a provider. */
@Injectable()
export class OAuthIdentitiesRepository {
  constructor(private readonly database: Database) {}

  async accountOf({ issuer, subject }: ProviderSubject, tx: Db): Promise<LinkedAccount | null> {
    const rows = await this.database.rows<LinkedAccount>(
      `SELECT u.id AS user_id, u.email, u.email_verified_at IS NOT NULL AS verified,
              u.disabled_at IS NOT NULL AS disabled
       FROM oauth_identities i JOIN users u ON u.id = i.user_id
       WHERE i.issuer = $1 AND i.subject = $2 /* tenant: whoever the provider names */`,
      [issuer, subject],
      tx,
    );
    return rows[0] ?? null;
  }

  /** Returns the issuers that an account is linked to, with the time of each link. */
  of(userId: UserId, db?: Db): Promise<{ issuer: string; linkedAt: Date }[]> {
    return this.database.rows<{ issuer: string; linkedAt: Date }>(
      'SELECT issuer, created_at AS "linkedAt" FROM oauth_identities WHERE user_id = $1',
      [userId],
      db,
    );
  }

  /**
   * Links a subject to an account.
   * @returns false when the subject is already linked, or the account is linked to another subject of the issuer
   */
  async insert({ issuer, subject }: ProviderSubject, userId: UserId, tx: Db): Promise<boolean> {
    const inserted = await this.database.execute(
      `INSERT INTO oauth_identities (issuer, subject, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [issuer, subject, userId],
      tx,
    );
    return inserted === 1;
  }
}
