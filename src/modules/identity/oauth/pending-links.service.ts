import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type AccountAct, OnChallengePassed } from '../second-factors/index.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthPendingLinksRepository, type PendingLink } from './oauth-pending-links.repository.js';

/** Stores links until the second factor of their account is shown, and then makes them. */
@Injectable()
export class PendingLinksService extends OnChallengePassed {
  constructor(
    private readonly links: OAuthPendingLinksRepository,
    private readonly identities: OAuthIdentitiesRepository,
  ) {
    super();
  }

  /** Stores the link of a challenge, in the transaction that opens the challenge. */
  async await(challengeToken: string, link: PendingLink, tx: Db): Promise<void> {
    await this.links.insert(sha256(challengeToken), link, tx);
  }

  /**
   * Makes the link of a passed challenge. Returns false when the account has another address now, or when the subject
   * or the account was linked differently in the meantime.
   */
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
