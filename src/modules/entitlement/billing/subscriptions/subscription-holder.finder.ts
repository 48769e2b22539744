import { Injectable } from '@nestjs/common';
import { asOrganizationId, asUserId, type OrganizationId, type UserId } from '../../../access/index.js';
import { parseUuid } from '../../../../platform/http/validation/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { holderNamedBy, type NamedHolder } from '../billing-scope.js';
import { OrganizationBillingRepository } from './organization-billing.repository.js';
import { PendingSubscriptionsRepository } from './pending-subscriptions.repository.js';
import { type Holder, SubscriptionsRepository } from './subscriptions.repository.js';
import type { LockedHolder } from './subscriptions.service.js';

/** The data from the provider that helps to find the holder of a subscription. */
export interface HolderClues {
  /** The metadata of the subscription and of its checkout, as far as they have been read. */
  readonly metadata: readonly Readonly<Record<string, string>>[];
  /** The reference of the checkout. It is the id of an organization or of a person. */
  readonly reference: string | null;
  readonly subscriptionId: string;
  readonly customerId: string | null;
  /**
   * Whether the price of the subscription is configured here. A customer may also have subscriptions to other products.
   */
  readonly hasKnownPrice: boolean;
}

/**
 * `moved` means that the holder has just changed and the caller must search again. Null means that the subscription has
 * no holder, or that two clues contradict each other.
 */
export type FoundHolder = LockedHolder | 'moved' | null;

/** Finds the holder of a subscription and locks the holder's row. */
@Injectable()
export class SubscriptionHolderFinder {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly organizations: OrganizationBillingRepository,
    private readonly pending: PendingSubscriptionsRepository,
  ) {}

  async ofCustomer(customerId: string, tx: Db): Promise<Holder | null> {
    const organizationId = await this.organizations.findByCustomer(customerId, tx);
    if (organizationId !== null) return { organizationId };
    const userId = await this.pending.findByCustomer(customerId, tx);
    return userId === null ? null : { userId };
  }

  /**
   * Searches by the metadata, then by the stored subscription, then, if the price is configured here, by the customer.
   */
  async find(clues: HolderClues, tx: Db): Promise<FoundHolder> {
    const holder = await this.decide(clues, tx);
    if (holder === null) return null;
    const locked = await this.lock(holder, tx);
    if (locked === null) return null;
    const again = await this.decide(clues, tx);
    return again !== null && isSame(again, holder) ? locked : 'moved';
  }

  private async decide(clues: HolderClues, tx: Db): Promise<Holder | null> {
    const { metadata, reference, subscriptionId, customerId, hasKnownPrice } = clues;
    const stored = holderOf(await this.subscriptions.find(subscriptionId, tx));
    const customers = customerId === null ? null : await this.ofCustomer(customerId, tx);
    const [named, ...others] = metadata.map(holderNamedBy).filter((holder) => holder !== null);
    if (named === undefined) return stored ?? (hasKnownPrice ? customers : null);
    if (others.some((other) => !isSame(other, named)) || (await this.isOfAnother(named, reference, tx))) return null;
    const holder = await this.present(named, stored, tx);
    const contradicts = [stored, customers].some(
      (other) => other !== null && !isSame(other, holder) && !isSame(other, named),
    );
    return contradicts ? null : holder;
  }

  /** Returns whether the reference names another organization, or another account, than the metadata. */
  private async isOfAnother(named: NamedHolder, reference: string | null, tx: Db): Promise<boolean> {
    const id = reference === null ? null : parseUuid(reference);
    if (id === null) return false;
    return 'organizationId' in named
      ? id !== named.organizationId && (await this.organizations.exists({ organizationId: asOrganizationId(id) }, tx))
      : id !== named.userId && (await this.pending.exists(asUserId(id), tx));
  }

  /**
   * Returns the present holder. If a person has an organization by now, the holder is their first organization, which
   * takes over what they paid for.
   */
  private async present(named: NamedHolder, stored: Holder | null, tx: Db): Promise<Holder> {
    if ('organizationId' in named) return named;
    if (stored !== null && 'organizationId' in stored) return stored;
    const organizationId = await this.organizations.firstOwnedBy(named.userId, tx);
    return organizationId === null ? named : { organizationId };
  }

  private async lock(holder: Holder, tx: Db): Promise<LockedHolder | null> {
    if ('organizationId' in holder) {
      const organization = await this.organizations.lock(holder, tx);
      return organization && { kind: 'organization', organization };
    }
    const user = await this.pending.lock(holder.userId, tx);
    return user && { kind: 'person', user };
  }
}

function holderOf(row: { organizationId: OrganizationId | null; userId: UserId | null } | null): Holder | null {
  if (row === null) return null;
  if (row.organizationId !== null) return { organizationId: row.organizationId };
  return row.userId === null ? null : { userId: row.userId };
}

function isSame(a: Holder, b: Holder): boolean {
  if ('organizationId' in a) return 'organizationId' in b && a.organizationId === b.organizationId;
  return 'userId' in b && a.userId === b.userId;
}
