import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type AccountAct, OnChallengePassed } from '../second-factors/index.js';
import { OAuthIdentitiesRepository, type Subject } from './oauth-identities.repository.js';
import type { ProviderName } from './providers/provider.js';

export interface PendingLink extends Subject {
  readonly provider: ProviderName;
  readonly emailKey: string;
}

/** Links that wait for the second factor of the account they are to open. */
@Injectable()
export class PendingLinks extends OnChallengePassed {
  constructor(
    private readonly database: Database,
    private readonly identities: OAuthIdentitiesRepository,
  ) {
    super();
  }

  /** In the transaction that opens the challenge. */
  async await(challengeToken: string, link: PendingLink, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO oauth_pending_links (challenge_hash, provider, issuer, subject, email_key)
       VALUES ($1, $2, $3, $4, $5)`,
      [sha256(challengeToken), link.provider, link.issuer, link.subject, link.emailKey],
      tx,
    );
  }

  /** Refuses when the address is no longer the account's, or subject or account were linked otherwise meanwhile. */
  async challengePassed(challengeHash: Buffer, { tx, user, note }: AccountAct): Promise<boolean> {
    const [link] = await this.database.rows<PendingLink>(
      `DELETE FROM oauth_pending_links WHERE challenge_hash = $1
       RETURNING provider, issuer, subject, email_key AS "emailKey"`,
      [challengeHash],
      tx,
    );
    if (link === undefined) return true;
    if (user.emailVerifiedAt === null || user.emailKey !== link.emailKey) return false;
    if (!(await this.identities.insert(link, user.id, tx))) {
      return (await this.identities.accountOf(link, tx))?.user_id === user.id;
    }
    await note('oauth_linked', { provider: link.provider });
    return true;
  }
}
