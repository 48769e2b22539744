import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';

/** A membership that an identity provider brings. */
export interface ProvidedMembership {
  readonly organizationId: OrganizationId;
  readonly role: 'viewer' | 'member' | 'operator' | 'admin';
}

/** Names a session at the provider that vouched for a person. */
export interface ProviderSession {
  /** The id of a connection, or the name of a provider by configuration. */
  readonly provider: string;
  readonly subject: string;
  /** Null when the provider does not name its session. */
  readonly providerSession: string | null;
}

/** Implemented by the module that creates the memberships which identity providers bring. */
export abstract class OnIdentityLinked {
  /** Locks the organization, before the account's row is locked. */
  abstract lockFirst(membership: ProvidedMembership, tx: Db): Promise<void>;

  /** Called when the second factor is shown. Returns whether the provider may still vouch for the address. */
  abstract mayLink(session: ProviderSession, emailKey: string, tx: Db): Promise<boolean>;

  /** Runs in the transaction of the sign-in that shows the account's second factor. */
  abstract identityLinked(userId: UserId, membership: ProvidedMembership, provider: string, tx: Db): Promise<void>;

  /** Runs in the transaction that opens the session. */
  abstract sessionOpened(sessionId: string, session: ProviderSession, tx: Db): Promise<void>;
}

/** Calls every provider of the application that extends {@link OnIdentityLinked}. */
@Injectable()
export class LinkedIdentitiesNotifier {
  constructor(private readonly discovery: DiscoveryService) {}

  async lockFirst(membership: ProvidedMembership, tx: Db): Promise<void> {
    for (const listener of this.listeners()) await listener.lockFirst(membership, tx);
  }

  async mayLink(session: ProviderSession, emailKey: string, tx: Db): Promise<boolean> {
    for (const listener of this.listeners()) if (!(await listener.mayLink(session, emailKey, tx))) return false;
    return true;
  }

  async linked(userId: UserId, membership: ProvidedMembership, provider: string, tx: Db): Promise<void> {
    for (const listener of this.listeners()) await listener.identityLinked(userId, membership, provider, tx);
  }

  async opened(sessionId: string, session: ProviderSession, tx: Db): Promise<void> {
    for (const listener of this.listeners()) await listener.sessionOpened(sessionId, session, tx);
  }

  private listeners(): OnIdentityLinked[] {
    return this.discovery
      .getProviders()
      .map(({ instance }): unknown => instance)
      .filter((instance) => instance instanceof OnIdentityLinked);
  }
}
