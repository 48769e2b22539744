import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import {
  AccountAdmissionService,
  AccountIsDisabled,
  OAuthFault,
  type ProvidedMembership,
  type ProviderPerson,
} from '../../identity/oauth/index.js';
import { type MfaChallengeResponse, Refused } from '../../identity/second-factors/index.js';
import { type SecurityAct, SecurityEventsWriter } from '../../identity/security-events/index.js';
import {
  type Client,
  SessionLivenessCache,
  SessionsService,
  type TokenResponse,
} from '../../identity/sessions/index.js';
import { emailKeyOf } from '../../identity/users/index.js';
import type { SsoConnection } from './sso-connection.entity.js';
import { ProvisionedMembershipsService } from './provisioned-memberships.service.js';
import { SsoFault } from './sso-fault.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';

/** A person whom an identity provider has authenticated. */
export interface SsoArrival {
  /** The id of a connection, or the name of a configured provider. */
  readonly provider: string;
  /** The provider's name in security events and in the audit log. */
  readonly label: string;
  /**
   * The person's identity. For a connection of an organization, the issuer is {@link issuerOf}, because a tenant can
   * claim any issuer name.
   */
  readonly person: ProviderPerson;
  /** The membership that the sign-in creates, unless it was created before. Null: none. */
  readonly membership: ProvidedMembership | null;
  /** The domains, in lower-case A-labels, for whose addresses the provider may vouch. Null: all domains. */
  readonly domains: readonly string[] | null;
  /** The provider's id of its own session. Null when the provider sends none. */
  readonly providerSession: string | null;
  /** The ID token of OpenID Connect. Set when the provider has a logout URL, which needs the token. */
  readonly idToken?: string;
  readonly client: Client;
}

/** The tokens of the new session, or the challenge for the second factor of the account. */
export type SsoSignedIn = { readonly tokens: TokenResponse } | { readonly challenge: MfaChallengeResponse };

/**
 * Signs in people whom an identity provider has authenticated, and ends their sessions when the provider ends its own.
 */
@Injectable()
export class SsoSignInService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountAdmissionService,
    private readonly memberships: ProvisionedMembershipsService,
    private readonly sessions: SessionsService,
    private readonly liveness: SessionLivenessCache,
    private readonly opened: SsoSessionsRepository,
    private readonly events: SecurityEventsWriter,
  ) {}

  /**
   * Finds or creates the account of the person, creates the membership and opens a session.
   * @throws SsoFault
   */
  async signIn(arrival: SsoArrival): Promise<SsoSignedIn> {
    const { provider, label, person, membership, client, idToken } = arrival;
    requireDomain(arrival, person.verifiedEmail);
    const session = { provider, subject: person.subject, providerSession: arrival.providerSession };
    const admitted = await this.accounts
      .admit({
        provider: label,
        person,
        name: person.name,
        nonceHash: null,
        client,
        membership,
        session,
        mayOpen: ({ email }) => requireDomain(arrival, email),
      })
      .catch((error: unknown) => {
        if (error instanceof AccountIsDisabled) throw new SsoFault('sso_disabled_account', error.message);
        throw error instanceof OAuthFault ? new SsoFault('sso_failed', error.message) : error;
      });
    if (admitted instanceof Refused) throw new SsoFault('sso_failed', 'the second factor of the account is locked');
    if ('challenge' in admitted) return admitted;
    const { userId } = admitted;
    if (membership !== null) await this.memberships.makeOnce(userId, membership, label);
    const tokens = await this.sessions
      .open(userId, 'oauth', client, { opened: (id, tx) => this.opened.insert(id, { ...session, idToken }, tx) })
      .catch((error: unknown) => {
        throw error instanceof NotAuthenticated ? new SsoFault('sso_failed', 'the account went away') : error;
      });
    return { tokens };
  }

  /**
   * Ends the sessions that a provider opened for a subject, or only those of one provider session.
   * @param first runs first in the transaction. When it throws, no session ends
   * @returns the number of ended sessions
   */
  async endSessions(
    provider: string,
    of: { readonly subject: string | null; readonly providerSession: string | null },
    client: Client,
    first: (tx: Db) => Promise<void>,
  ): Promise<number> {
    const ended = await this.database.transaction(async (tx) => {
      await first(tx);
      const revoked = await this.opened.revoke(provider, of, tx);
      await this.liveness.announceRevoked(
        revoked.map(({ sessionId }) => sessionId),
        tx,
      );
      for (const { sessionId, userId } of revoked) {
        const act: SecurityAct = { userId, type: 'sso_signed_out', client, detail: { session_id: sessionId } };
        await this.events.record(act, tx);
      }
      return revoked;
    });
    this.liveness.forget(ended.map(({ sessionId }) => sessionId));
    return ended.length;
  }
}

/**
 * Returns the issuer under which identities of an organization's connection are linked. It contains the provider,
 * because a provider chooses its subject names freely, and another provider can use the same name for another person.
 */
export function issuerOf({ id, issuer, entityId }: Pick<SsoConnection, 'id' | 'issuer' | 'entityId'>): string {
  return `connection:${id}:${sha256(issuer ?? entityId ?? '').toString('hex')}`;
}

/** Returns the domain of an address in lower-case A-labels. */
export function domainOf(email: string): string {
  const key = emailKeyOf(email);
  return key.slice(key.lastIndexOf('@') + 1);
}

function requireDomain({ domains }: SsoArrival, email: string | null): void {
  if (domains === null || email === null) return;
  if (!domains.includes(domainOf(email))) {
    throw new SsoFault('sso_domain', 'the provider may not vouch for addresses of this domain');
  }
}
