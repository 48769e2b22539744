import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type AccountAct, OnChallengePassed, type WhenOpened } from '../second-factors/index.js';
import { LinkedIdentitiesNotifier } from './on-identity-linked.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthPendingLinksRepository, type PendingLink } from './oauth-pending-links.repository.js';

/** Stores links until the second factor of their account is shown, and then links the accounts. */
@Injectable()
export class PendingLinksService extends OnChallengePassed {
  constructor(
    private readonly links: OAuthPendingLinksRepository,
    private readonly identities: OAuthIdentitiesRepository,
    private readonly linked: LinkedIdentitiesNotifier,
  ) {
    super();
  }

  /** Stores the link of a challenge, in the transaction that opens the challenge. */
  async await(challengeToken: string, link: PendingLink, tx: Db): Promise<void> {
    await this.links.insert(sha256(challengeToken), link, tx);
  }

  override async lockFirst(challengeHash: Buffer, tx: Db): Promise<void> {
    const membership = await this.links.membershipOf(challengeHash, tx);
    if (membership !== null) await this.linked.lockFirst(membership, tx);
  }

  /**
   * Makes the link of a passed challenge. Returns false when the address of the account has changed, when the provider
   * may no longer vouch for the address, or when the subject or the account was linked differently in the meantime.
   */
  async challengePassed(
    challengeHash: Buffer,
    { tx, user, note }: AccountAct,
    follow: (opened: WhenOpened) => void,
  ): Promise<boolean> {
    const link = await this.links.take(challengeHash, tx);
    if (link === null) return true;
    if (user.emailVerifiedAt === null || user.emailKey !== link.emailKey) return false;
    const { session } = link;
    if (session !== null) {
      if (!(await this.linked.mayLink(session, link.emailKey, tx))) return false;
      follow((sessionId, opening) => this.linked.opened(sessionId, session, opening));
    }
    if (!(await this.identities.insert(link, user.id, tx))) {
      return (await this.identities.accountOf(link, tx))?.user_id === user.id;
    }
    if (link.membership !== null) await this.linked.linked(user.id, link.membership, link.provider, tx);
    await note('oauth_linked', { provider: link.provider });
    return true;
  }
}
