import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type AccountAct, OnChallengePassed } from '../second-factors/index.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthPendingLinksRepository, type PendingLink } from './oauth-pending-links.repository.js';

/** Links that wait for the second factor of the account they are to open. */
@Injectable()
export class PendingLinksService extends OnChallengePassed {
  constructor(
    private readonly links: OAuthPendingLinksRepository,
    private readonly identities: OAuthIdentitiesRepository,
  ) {
    super();
  }

  /** In the transaction that opens the challenge. */
  async await(challengeToken: string, link: PendingLink, tx: Db): Promise<void> {
    await this.links.insert(sha256(challengeToken), link, tx);
  }

  /** Refuses when the address is no longer the account's, or subject or account were linked otherwise meanwhile. */
  async challengePassed(challengeHash: Buffer, { tx, user, note }: AccountAct): Promise<boolean> {
    const link = await this.links.take(challengeHash, tx);
    if (link === null) return true;
    if (user.emailVerifiedAt === null || user.emailKey !== link.emailKey) return false;
    if (!(await this.identities.insert(link, user.id, tx))) {
      return (await this.identities.accountOf(link, tx))?.user_id === user.id;
    }
    await note('oauth_linked', { provider: link.provider });
    return true;
  }
}
