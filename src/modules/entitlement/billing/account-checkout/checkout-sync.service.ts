import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { PaidPlan } from '../../../tenancy/organizations/index.js';
import { type User, UsersReader } from '../../../identity/users/index.js';
import { BillingSettings } from '../billing-settings.js';
import { planNamed } from '../plan-prices.js';
import { type CheckoutState, PaymentProvider, type SubscriptionState } from '../provider/payment-provider.js';
import type { PaymentSubscription } from '../subscriptions/payment-subscription.entity.js';
import { PendingSubscriptionsRepository } from '../subscriptions/pending-subscriptions.repository.js';
import { SubscriptionHolderFinder } from '../subscriptions/subscription-holder.finder.js';
import { billingStatusOf, isPassing, SIGHT_KINDS } from '../subscriptions/subscription-rules.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import type { SyncCheckoutResponse } from './account-checkout.dto.js';
import {
  CheckoutIncomplete,
  CheckoutNotFound,
  CheckoutOfSomebodyElse,
  CheckoutWithoutPlan,
  WorkspaceExists,
} from './account-checkout.errors.js';

/**
 * The synchronization starts again when an event has changed the subscription meanwhile. After this many attempts the
 * request fails, because so many changes during one request mean a fault.
 */
const MOST_TRIES = 5;
/** The form of the provider's identifiers. Any other text is not sent to the provider. */
const IDENTIFIER = /^[\w-]+$/;

/** Stores what a person has paid for before they have an organization. */
@Injectable()
export class CheckoutSyncService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly pending: PendingSubscriptionsRepository,
    private readonly holders: SubscriptionHolderFinder,
    private readonly subscriptions: SubscriptionsService,
    private readonly provider: PaymentProvider,
    private readonly settings: BillingSettings,
  ) {}

  async sync(scope: UserScope, sessionId: string): Promise<SyncCheckoutResponse> {
    await this.database.transaction((tx) => this.lock(scope, tx));
    this.settings.requireBilling();
    if (!IDENTIFIER.test(sessionId)) throw new CheckoutNotFound();
    const within = this.provider.begin();
    const found = await this.provider.findCheckout(sessionId, within);
    if (found === null) throw new CheckoutNotFound();
    const { checkout } = found;
    if (!belongsTo(scope, checkout)) throw new CheckoutOfSomebodyElse();
    if (checkout.status !== 'complete') throw new CheckoutIncomplete();

    let { subscription } = found;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const id = subscription?.id ?? checkout.subscriptionId;
      const known = id === null ? null : await this.subscriptions.find(id);
      // Events have already stored this subscription. The state that was read before `known` may be older than these
      // events, so it is read again.
      if (id !== null && known !== null) subscription = await this.provider.findSubscription(id, within);
      const plan = this.planOf(checkout, subscription);
      const isDone = await this.database.transaction((tx) =>
        this.store(scope, { checkout, subscription, known, plan }, tx),
      );
      if (isDone) return answerOf(checkout, subscription, plan);
    }
    throw new Error('the subscription changed all the time');
  }

  private async lock(scope: UserScope, tx: Db): Promise<User> {
    const user = await this.users.lock(scope.userId, tx);
    if (await this.pending.hasWorkspace(scope.userId, tx)) throw new WorkspaceExists();
    return user;
  }

  /** Returns the plan of the price, else the plan that this service wrote into the metadata of the session. */
  private planOf(checkout: CheckoutState, subscription: SubscriptionState | null): PaidPlan {
    const plan = (subscription && this.subscriptions.planOf(subscription)) ?? planNamed(checkout.metadata.plan);
    if (plan === null) throw new CheckoutWithoutPlan();
    return plan;
  }

  /** Returns false when an event has changed the subscription since it was read. */
  private async store(
    scope: UserScope,
    paid: {
      checkout: CheckoutState;
      subscription: SubscriptionState | null;
      known: PaymentSubscription | null;
      plan: PaidPlan;
    },
    tx: Db,
  ): Promise<boolean> {
    const { checkout, subscription, known, plan } = paid;
    const user = await this.lock(scope, tx);
    const customerId = subscription?.customerId ?? checkout.customerId;
    const owner = customerId === null ? null : await this.holders.ofCustomer(customerId, tx);
    if (owner !== null && !('userId' in owner && owner.userId === user.id)) throw new CheckoutOfSomebodyElse();
    if (subscription === null) {
      const changes = { pendingPlan: plan, pendingBillingStatus: 'active' };
      await this.pending.update(user.id, { ...changes, pendingCustomerId: customerId ?? user.pendingCustomerId }, tx);
      return true;
    }
    const present = await this.subscriptions.find(subscription.id, tx);
    if (present !== null && present.userId !== user.id) throw new CheckoutOfSomebodyElse();
    if (present?.revision !== known?.revision) return false;
    const begun = { seenAt: subscription.startedAt ?? new Date(0), seenKind: SIGHT_KINDS.changed };
    const sight = present !== null && present.seenAt >= begun.seenAt ? present : begun;
    await this.subscriptions.store({ kind: 'person', user }, { state: subscription, sight, plan, isPaid: false }, tx);
    return true;
  }
}

/** Returns whether this person is named by every identifier that the session contains. */
function belongsTo({ userId }: UserScope, { reference, metadata }: CheckoutState): boolean {
  return [reference, metadata.user_id].every((sign) => sign === null || sign === undefined || sign === userId);
}

function answerOf(
  checkout: CheckoutState,
  subscription: SubscriptionState | null,
  plan: PaidPlan,
): SyncCheckoutResponse {
  const status = subscription === null ? 'active' : billingStatusOf(subscription.status);
  return {
    plan,
    checkout_session_id: checkout.id,
    ready_for_workspace: status !== null && isPassing(status),
    stripe_customer_id: subscription?.customerId ?? checkout.customerId,
    stripe_subscription_id: subscription?.id ?? checkout.subscriptionId,
    stripe_subscription_status: subscription?.status ?? null,
  };
}
