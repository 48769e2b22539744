import { Injectable, Logger } from '@nestjs/common';
import type { OrganizationId, UserId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { type Organization, OrganizationChangesNotifier, type PaidPlan } from '../../../tenancy/organizations/index.js';
import type { User } from '../../../identity/users/index.js';
import { BillingSettings } from '../billing-settings.js';
import { planNamed } from '../plan-prices.js';
import type { SubscriptionState } from '../provider/payment-provider.js';
import { OrganizationBillingRepository } from './organization-billing.repository.js';
import type { PaymentSubscription } from './payment-subscription.entity.js';
import { NOTHING_PENDING, PendingSubscriptionsRepository } from './pending-subscriptions.repository.js';
import {
  billingStatusOf,
  counts,
  isOver,
  isPassing,
  presentOf,
  type Sight,
  standingAfter,
  withHold,
} from './subscription-rules.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

/** An organization or a person whose row the transaction has locked. */
export type LockedHolder =
  | { readonly kind: 'organization'; readonly organization: Organization }
  | { readonly kind: 'person'; readonly user: User };

/** An observation of a subscription. */
export interface SeenSubscription {
  readonly state: SubscriptionState;
  readonly sight: Sight;
  /** Null when the price is not one of the configured prices. */
  readonly plan: PaidPlan | null;
  /**
   * Whether the event itself shows a payment. `state` may come from a newer query of the provider instead of the event.
   */
  readonly isPaid: boolean;
}

/** Updates the plan and the billing status of organizations and people from their subscriptions. */
@Injectable()
export class SubscriptionsService {
  private readonly logger = new Logger('billing');

  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly organizations: OrganizationBillingRepository,
    private readonly pending: PendingSubscriptionsRepository,
    private readonly changes: OrganizationChangesNotifier,
    private readonly audit: AuditWriter,
    private readonly settings: BillingSettings,
  ) {}

  /** Returns null when the subscription has never been seen. */
  find(id: string, tx?: Db): Promise<PaymentSubscription | null> {
    return this.subscriptions.find(id, tx);
  }

  /** Returns the plan that a subscription pays for, or null when its price is not configured. */
  planOf({ priceId, metadata }: SubscriptionState): PaidPlan | null {
    return priceId === null ? planNamed(metadata.plan) : (this.settings.prices.get(priceId) ?? null);
  }

  /**
   * Stores an observation of a subscription and updates its holder. The caller has decided that the observation
   * applies.
   */
  async store(holder: LockedHolder, { state, sight, plan, isPaid }: SeenSubscription, tx: Db): Promise<void> {
    const key = keyOf(holder);
    const before = await this.subscriptions.listOf(key, tx);
    const known = before.find(({ id }) => id === state.id);
    if (plan === null) this.logger.warn(`subscription ${state.id} has an unknown price: ${state.priceId ?? 'none'}`);
    const { id, customerId, priceId } = state;
    const { seenAt, seenKind } = sight;
    const { status, wasPaid } = standingAfter(known ?? null, { status: state.status, seenAt, seenKind, isPaid });
    const subscription = {
      id,
      organizationId: 'organizationId' in key ? key.organizationId : null,
      userId: 'userId' in key ? key.userId : null,
      customerId: customerId ?? known?.customerId ?? null,
      status,
      priceId,
      plan,
      wasPaid,
      startedAt: state.startedAt ?? known?.startedAt ?? sight.seenAt,
      seenAt,
      seenKind,
    };
    await this.subscriptions.save(subscription, tx);
    const after = [...before.filter((other) => other.id !== id), { ...subscription, revision: 0 }];
    const paid = after.filter((each) => isPassing(each.status)).map((each) => each.id);
    if (paid.length > 1) this.logger.warn(`several subscriptions of one holder are paid for: ${paid.join(', ')}`);
    await this.bringInStep(holder, before, after, tx);
  }

  /** Marks a subscription as paid for. A late event changes nothing else, but the payment that it shows was made. */
  async notePayment(holder: LockedHolder, known: PaymentSubscription, tx: Db): Promise<void> {
    const before = await this.subscriptions.listOf(keyOf(holder), tx);
    const subscription = { ...known, wasPaid: true };
    await this.subscriptions.save(subscription, tx);
    await this.bringInStep(holder, before, [...before.filter(({ id }) => id !== known.id), subscription], tx);
  }

  /** Applies the plan that an owner paid for, before they had an organization, to their first organization. */
  async claim(organization: Organization, owner: User, tx: Db): Promise<void> {
    const scope = { organizationId: organization.id };
    await this.pending.update(owner.id, { ...NOTHING_PENDING, pendingCustomerId: null }, tx);
    const { pendingPlan, pendingBillingStatus, pendingSubscriptionId } = owner;
    const own = await this.subscriptions.listOf({ userId: owner.id }, tx);
    // A completed checkout may have no subscription to check.
    const isPaid =
      pendingSubscriptionId === null || own.some((each) => each.id === pendingSubscriptionId && counts(each));
    await this.subscriptions.handOver(owner.id, organization.id, tx);
    const paidFor =
      pendingPlan === null || !isPaid ? {} : { plan: pendingPlan, billingStatus: pendingBillingStatus ?? 'active' };
    await this.organizations.update(
      scope,
      {
        ...paidFor,
        paymentCustomerId: owner.pendingCustomerId,
        paymentSubscriptionId: owner.pendingSubscriptionId,
        paymentSubscriptionStatus: owner.pendingSubscriptionStatus,
        paymentPriceId: owner.pendingPriceId,
      },
      tx,
    );
    if ('plan' in paidFor) await this.record(organization, owner.id, { ...organization, ...paidFor }, tx);
  }

  private async bringInStep(
    holder: LockedHolder,
    before: readonly PaymentSubscription[],
    after: readonly PaymentSubscription[],
    tx: Db,
  ): Promise<void> {
    const present = presentOf(after);
    const counting = presentOf(after.filter(counts));
    if (present === null) return;
    if (holder.kind === 'person') {
      const isCounted = counting !== null && !isOver(counting.status);
      return this.personInStep(holder.user, isCounted ? counting : present, tx);
    }
    const countedBefore = presentOf(before.filter(counts));
    await this.organizationInStep(holder.organization, countedBefore, counting ?? present, tx);
  }

  /**
   * The plan follows the subscription's plan. While that plan stays the same, a plan that the platform has set stays
   * too.
   */
  private async organizationInStep(
    organization: Organization,
    before: PaymentSubscription | null,
    after: PaymentSubscription,
    tx: Db,
  ): Promise<void> {
    const isNewPlan = counts(after) && (before?.id !== after.id || before.plan !== after.plan);
    const plan = (isNewPlan ? after.plan : null) ?? organization.plan;
    const state = withHold(organization, counts(after) ? billingStatusOf(after.status) : null);
    const scope = { organizationId: organization.id };
    await this.organizations.update(
      scope,
      {
        plan,
        ...state,
        paymentCustomerId: isOver(after.status)
          ? (organization.paymentCustomerId ?? after.customerId)
          : (after.customerId ?? organization.paymentCustomerId),
        paymentSubscriptionId: after.id,
        paymentSubscriptionStatus: after.status,
        paymentPriceId: after.priceId,
      },
      tx,
    );
    const { billingStatus } = state;
    if (plan === organization.plan && billingStatus === organization.billingStatus) return;
    await this.record(organization, null, { plan, billingStatus }, tx);
    await this.changes.announce(scope, tx);
  }

  private async record(
    from: Organization,
    actorUserId: string | null,
    to: Pick<Organization, 'plan' | 'billingStatus'>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(
      {
        actorUserId,
        organizationId: from.id,
        action: 'billing.subscription_changed',
        targetType: 'organization',
        targetId: from.id,
        detail: {
          from: { plan: from.plan, billing_status: from.billingStatus },
          to: { plan: to.plan, billing_status: to.billingStatus },
        },
      },
      tx,
    );
  }

  private async personInStep(user: User, after: PaymentSubscription, tx: Db): Promise<void> {
    const changes = isOver(after.status)
      ? NOTHING_PENDING
      : {
          pendingPlan: after.plan ?? user.pendingPlan,
          pendingBillingStatus: billingStatusOf(after.status) ?? user.pendingBillingStatus ?? 'inactive',
          pendingSubscriptionId: after.id,
          pendingSubscriptionStatus: after.status,
          pendingPriceId: after.priceId,
        };
    const customer = isOver(after.status) ? user.pendingCustomerId : (after.customerId ?? user.pendingCustomerId);
    await this.pending.update(user.id, { ...changes, pendingCustomerId: customer }, tx);
  }
}

function keyOf(holder: LockedHolder): { organizationId: OrganizationId } | { userId: UserId } {
  return holder.kind === 'organization' ? { organizationId: holder.organization.id } : { userId: holder.user.id };
}
