import { type FactoryProvider, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { MembersReader } from './members.reader.js';
import { OrganizationChangesNotifier } from './organization-changes.notifier.js';
import { OrganizationsRepository } from './organizations.repository.js';

/** An organization that its owner deletes. Its row is locked. */
export interface EndingOrganization {
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
}

/** A module's part of an organization's deletion, in the same transaction, while the organization still has its owner. */
export abstract class OnOrganizationDeleted {
  /** Takes the locks on what belongs to the owner's organizations that have to be held before the owner's own row is. */
  lockFirst(_ownerId: UserId, _tx: Db): Promise<void> {
    return Promise.resolve();
  }

  /** Why the organization has to stay, in a few words for its owner; null: it may go. */
  obstacle(_organization: EndingOrganization, _tx: Db): Promise<string | null> {
    return Promise.resolve(null);
  }

  abstract organizationDeleted(organization: EndingOrganization, tx: Db): Promise<void>;
}

/** A provider for a module whose part is one call. */
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
 * Ends an organization for everybody at the commit. Its row stays without a name and an owner until the rows of its
 * projects are removed in the background, which a process that dies leaves to the next round.
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

  /** The caller holds the rows of the organizations. */
  async lockFirst(ownerId: UserId, tx: Db): Promise<void> {
    for (const part of this.parts()) await part.lockFirst(ownerId, tx);
  }

  /** Why the organization has to stay; null: it may go. */
  async obstacle(organization: EndingOrganization, tx: Db): Promise<string | null> {
    if (await this.members.hasOthers(organization, organization.userId, tx)) return 'other members';
    for (const part of this.parts()) {
      const reason = await part.obstacle(organization, tx);
      if (reason !== null) return reason;
    }
    return null;
  }

  /** The caller holds the organization's row and has checked `obstacle`. */
  async run(organization: EndingOrganization, tx: Db): Promise<void> {
    const { organizationId, userId } = organization;
    for (const part of this.parts()) await part.organizationDeleted(organization, tx);
    await this.organizations.markDeleted(organization, tx);
    await this.audit.record(
      {
        actorUserId: userId,
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
