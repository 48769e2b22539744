import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import type { Subject } from './oauth-identities.repository.js';
import type { ProviderName } from './providers/provider.js';

export interface PendingLink extends Subject {
  readonly provider: ProviderName;
  readonly emailKey: string;
}

/**
 * Stores links that wait for the second factor of a sign-in, by the hash of the sign-in challenge. A link is deleted
 * with its challenge.
 */
@Injectable()
export class OAuthPendingLinksRepository {
  constructor(private readonly database: Database) {}

  async insert(challengeHash: Buffer, link: PendingLink, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO oauth_pending_links (challenge_hash, provider, issuer, subject, email_key) /* tenant: of the challenge */
       VALUES ($1, $2, $3, $4, $5)`,
      [challengeHash, link.provider, link.issuer, link.subject, link.emailKey],
      tx,
    );
  }

  /** Deletes and returns the link that waits for a challenge, or null when there is none. */
  async take(challengeHash: Buffer, tx: Db): Promise<PendingLink | null> {
    const [link] = await this.database.rows<PendingLink>(
      `DELETE FROM oauth_pending_links WHERE challenge_hash = $1 /* tenant: whoever has passed the challenge */
       RETURNING provider, issuer, subject, email_key AS "emailKey"`,
      [challengeHash],
      tx,
    );
    return link ?? null;
  }
}
