import { type FactoryProvider, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { MembersReader } from './members.reader.js';
import { OrganizationChangesNotifier } from './organization-changes.notifier.js';
import { OrganizationsRepository } from './organizations.repository.js';

/** An organization that is being deleted. The caller has locked its row. */
export interface EndingOrganization {
  readonly organizationId: OrganizationId;
  /** The owner. */
  readonly userId: UserId;
  /** The user who deletes the organization. Null: an operator of the service. */
  readonly actorUserId: UserId | null;
}

/**
 * A module extends this class to run code when an organization is deleted. The code runs in the same transaction, while
 * the organization still has its owner.
 */
export abstract class OnOrganizationDeleted {
  /**
   * Acquires locks on rows of the owner's organizations that must be acquired before the lock on the owner's own row.
   */
  lockFirst(_ownerId: UserId, _tx: Db): Promise<void> {
    return Promise.resolve();
  }

  /** Returns the reason why the organization cannot be deleted, in a few words for its owner, or null. */
  obstacle(_organization: EndingOrganization, _tx: Db): Promise<string | null> {
    return Promise.resolve(null);
  }

  abstract organizationDeleted(organization: EndingOrganization, tx: Db): Promise<void>;
}

/** Returns a provider that calls `act` on an instance of `keeper` when an organization is deleted. */
export function onOrganizationDeleted<Keeper>(
  keeper: Type<Keeper>,
  act: (keeper: Keeper, organization: EndingOrganization, tx: Db) => Promise<void>,
): FactoryProvider<OnOrganizationDeleted> {
  return {
    provide: Symbol(`${keeper.name} of deleted organizations`),
    inject: [keeper],
    useFactory: (kept: Keeper) => new KeptOfOrganization(kept, act),
  };
}

class KeptOfOrganization<Keeper> extends OnOrganizationDeleted {
  constructor(
    private readonly keeper: Keeper,
    private readonly act: (keeper: Keeper, organization: EndingOrganization, tx: Db) => Promise<void>,
  ) {
    super();
  }

  organizationDeleted(organization: EndingOrganization, tx: Db): Promise<void> {
    return this.act(this.keeper, organization, tx);
  }
}

/**
 * Deletes an organization at the commit. Its row stays, without name and owner, until the rows of its projects are
 * removed in the background. If the process dies meanwhile, the next maintenance round continues.
 */
@Injectable()
export class OrganizationDeletionService {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly organizations: OrganizationsRepository,
    private readonly members: MembersReader,
    private readonly changes: OrganizationChangesNotifier,
    private readonly audit: AuditWriter,
  ) {}

  /** Acquires the locks of all modules. The caller has locked the rows of the organizations. */
  async lockFirst(ownerId: UserId, tx: Db): Promise<void> {
    for (const part of this.parts()) await part.lockFirst(ownerId, tx);
  }

  /** Returns the reason why the organization cannot be deleted, or null. */
  async obstacle(organization: EndingOrganization, tx: Db): Promise<string | null> {
    if (await this.members.hasOthers(organization, organization.userId, tx)) return 'other members';
    for (const part of this.parts()) {
      const reason = await part.obstacle(organization, tx);
      if (reason !== null) return reason;
    }
    return null;
  }

  /** Deletes the organization. The caller has locked its row and has checked `obstacle`. */
  async run(organization: EndingOrganization, tx: Db): Promise<void> {
    const { organizationId, actorUserId } = organization;
    for (const part of this.parts()) await part.organizationDeleted(organization, tx);
    await this.organizations.markDeleted(organization, tx);
    await this.audit.record(
      {
        actorUserId,
        organizationId,
        action: 'organization.deleted',
        targetType: 'organization',
        targetId: organizationId,
      },
      tx,
    );
    await this.changes.announce(organization, tx);
  }

  private parts(): OnOrganizationDeleted[] {
    return this.discovery
      .getProviders()
      .flatMap(({ instance }) => (instance instanceof OnOrganizationDeleted ? instance : []));
  }
}
