import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ProvidedMembership, ProviderSession } from './on-identity-linked.js';
import type { ProviderSubject } from './oauth-identities.repository.js';

export interface PendingLink extends ProviderSubject {
  readonly provider: string;
  readonly emailKey: string;
  /** The membership that comes with the link. Null when the provider brings none. */
  readonly membership: ProvidedMembership | null;
  /** The session at a company's provider. Null when the provider is Google or Apple. */
  readonly session: ProviderSession | null;
}

interface StoredLink extends Omit<PendingLink, 'membership' | 'session'> {
  readonly organizationId: ProvidedMembership['organizationId'] | null;
  readonly role: ProvidedMembership['role'] | null;
  readonly ssoProvider: string | null;
  readonly providerSession: string | null;
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
      `INSERT INTO oauth_pending_links (challenge_hash, provider, issuer, subject, email_key, organization_id, role, sso_provider, provider_session)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) /* tenant: of the challenge */`,
      [
        challengeHash,
        link.provider,
        link.issuer,
        link.subject,
        link.emailKey,
        link.membership?.organizationId ?? null,
        link.membership?.role ?? null,
        link.session?.provider ?? null,
        link.session?.providerSession ?? null,
      ],
      tx,
    );
  }

  /** Returns the membership that waits for a challenge with its link, or null when there is none. */
  async membershipOf(challengeHash: Buffer, tx: Db): Promise<ProvidedMembership | null> {
    const [membership] = await this.database.rows<ProvidedMembership>(
      `SELECT organization_id AS "organizationId", role FROM oauth_pending_links
       WHERE challenge_hash = $1 /* tenant: whoever shows the challenge */ AND organization_id IS NOT NULL`,
      [challengeHash],
      tx,
    );
    return membership ?? null;
  }

  /** Deletes and returns the link that waits for a challenge, or null when there is none. */
  async take(challengeHash: Buffer, tx: Db): Promise<PendingLink | null> {
    const [link] = await this.database.rows<StoredLink>(
      `DELETE FROM oauth_pending_links WHERE challenge_hash = $1 /* tenant: whoever has passed the challenge */
       RETURNING provider, issuer, subject, email_key AS "emailKey", organization_id AS "organizationId", role,
                 sso_provider AS "ssoProvider", provider_session AS "providerSession"`,
      [challengeHash],
      tx,
    );
    if (link === undefined) return null;
    const { organizationId, role, ssoProvider, providerSession, ...rest } = link;
    return {
      ...rest,
      membership: organizationId === null || role === null ? null : { organizationId, role },
      session: ssoProvider === null ? null : { provider: ssoProvider, subject: link.subject, providerSession },
    };
  }
}
