import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deliver } from '../../support/payment-events.js';
import type { StandInEvent, StandInSubscription } from '../../support/payment-provider.js';
import { type Payments, startPayments } from '../../support/payments.js';
import { propertyRuns } from '../../support/property-runs.js';
import { account, api, randomEmail } from '../../support/service.js';
import { signedInUser } from '../../support/sql-builders/accounts.js';
import { organizationBilling, pendingBilling } from '../../support/sql-builders/billing-checkout.js';

const START = 1_750_000_000;
/** The statuses of a subscription after its first payment. */
const STATUSES = ['active', 'trialing', 'past_due', 'unpaid', 'paused'] as const;
const BILLING: Readonly<Record<string, string>> = { unpaid: 'inactive', paused: 'inactive' };
const PLANS = ['pro', 'scale', 'enterprise'] as const;

interface Step {
  /** Seconds since the step before. Zero: it happens in the same second. */
  readonly wait: number;
  readonly status: (typeof STATUSES)[number];
  readonly plan: (typeof PLANS)[number];
  readonly kind: 'change' | 'checkout';
}

interface Life {
  /** In seconds after {@link START}. */
  readonly begins: number;
  readonly steps: readonly Step[];
  readonly isEnded: boolean;
}

/** The deliveries of one case: which events, how often each, in which order, and how many at once. */
interface Delivery {
  /** By event: how often it is delivered. The newest is delivered at least once. */
  readonly times: readonly number[];
  readonly order: readonly number[];
  readonly together: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.integer({ min: 0, max: 2 }),
  status: fc.constantFrom(...STATUSES),
  plan: fc.constantFrom(...PLANS),
  kind: fc.constantFrom('change', 'change', 'change', 'checkout'),
});
const life: fc.Arbitrary<Life> = fc.record({
  begins: fc.integer({ min: 0, max: 50 }),
  steps: fc.array(step, { maxLength: 6 }),
  isEnded: fc.boolean(),
});
const delivery: fc.Arbitrary<Delivery> = fc.record({
  times: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 24, maxLength: 24 }),
  order: fc.array(fc.nat(), { minLength: 72, maxLength: 72 }),
  together: fc.integer({ min: 1, max: 6 }),
});

/** Events may come in any order, several times or not at all: what the newest event says holds in the end. */
describe('the life of a subscription', () => {
  let provider: Payments;

  beforeAll(async () => {
    provider = await startPayments();
  });

  /** The events of a life in the order in which they happened; the provider then has the subscription as it ended up. */
  function eventsOf(
    { begins, steps, isEnded }: Life,
    metadata: Record<string, string>,
  ): { events: StandInEvent[]; final: StandInSubscription } {
    let second = START + begins;
    let isPaid = false;
    let state = provider.subscription({ metadata, created: second, status: 'incomplete' });
    const events = [provider.event('customer.subscription.created', state, { created: second })];
    for (const { wait, status, plan, kind } of steps) {
      second += wait;
      // Nobody completes a checkout before the first payment.
      if (kind === 'checkout' && isPaid) {
        const session = {
          id: `cs_${state.id}`,
          mode: 'subscription',
          status: 'complete',
          subscription: state.id,
          customer: state.customer,
          metadata,
        };
        events.push(provider.event('checkout.session.completed', session, { created: second }));
        continue;
      }
      isPaid = true;
      state = { ...provider.subscription({ ...state, status, price: provider.prices[plan] }), id: state.id };
      events.push(provider.event('customer.subscription.updated', state, { created: second }));
    }
    if (isEnded) {
      state = { ...state, status: isPaid ? 'canceled' : 'incomplete_expired' };
      events.push(provider.event('customer.subscription.deleted', state, { created: second + 1 }));
    }
    provider.subscriptions.set(state.id, state);
    return { events, final: state };
  }

  async function deliverAll(events: readonly StandInEvent[], { order, together }: Delivery): Promise<void> {
    const shuffled = events
      .map((event, index) => ({ event, rank: order[index % order.length] ?? 0 }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ event }) => event);
    for (let start = 0; start < shuffled.length; start += together) {
      const batch = shuffled.slice(start, start + together);
      const answers = await Promise.all(batch.map((event) => deliver(provider, event)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
  }

  /** Some events of a life often, some never, the beginning, the first payment and the newest always. */
  function some(events: readonly StandInEvent[], times: readonly number[], offset = 0): StandInEvent[] {
    const last = events.length - 1;
    return events.flatMap((event, index) =>
      Array.from({ length: Math.max(times[offset + index] ?? 1, index <= 1 || index === last ? 1 : 0) }, () => event),
    );
  }

  /** Creates an account and its first organization. */
  async function newOrganization(): Promise<string> {
    const slug = randomBytes(8).toString('hex');
    const { body } = await api
      .as(await account())
      .post('/v1/organizations', { name: 'Life', slug })
      .expect(201);
    return (body as { id: string }).id;
  }

  function expected(final: StandInSubscription): Record<string, unknown> {
    const price = final.items.data[0]?.price.id ?? '';
    const isNeverPaid = final.status.startsWith('incomplete');
    return {
      plan: isNeverPaid ? 'free' : PLANS.find((plan) => provider.prices[plan] === price),
      billing_status: isNeverPaid ? 'active' : (BILLING[final.status] ?? final.status),
      payment_subscription_id: final.id,
      payment_subscription_status: final.status,
      payment_price_id: price,
    };
  }

  it('ends in the state of its newest event for an organization', async () => {
    await fc.assert(
      fc.asyncProperty(life, delivery, async (lived, delivered) => {
        const id = await newOrganization();
        const { events, final } = eventsOf(lived, { billing_scope: 'organization', organization_id: id });
        await deliverAll(some(events, delivered.times), delivered);
        expect(await organizationBilling(id)).toMatchObject(expected(final));
      }),
      { numRuns: propertyRuns(30, 8) },
    );
  });

  it('ends in the state of its newest event in every order when the provider does not have it and no changes share a second', async () => {
    await fc.assert(
      fc.asyncProperty(life, delivery, async (lived, delivered) => {
        const id = await newOrganization();
        const steps = lived.steps.map((one) => ({ ...one, wait: one.wait + 1 }));
        const { events, final } = eventsOf({ ...lived, steps }, { billing_scope: 'organization', organization_id: id });
        provider.subscriptions.delete(final.id);
        const often = events.flatMap((event, at) =>
          Array.from({ length: 1 + (delivered.times[at] ?? 0) }, () => event),
        );
        await deliverAll(often, delivered);
        expect(await organizationBilling(id)).toMatchObject(expected(final));
      }),
      { numRuns: propertyRuns(30, 8) },
    );
  });

  it('ends in the state of its newest event for an account without an organization', async () => {
    await fc.assert(
      fc.asyncProperty(life, delivery, async (lived, delivered) => {
        const { id } = await signedInUser(randomEmail());
        const { events, final } = eventsOf(lived, { billing_scope: 'pre_workspace', user_id: id });
        await deliverAll(some(events, delivered.times), delivered);
        const { plan, billing_status, payment_subscription_status, payment_price_id } = expected(final);
        const isOver = ['canceled', 'incomplete_expired'].includes(final.status);
        const isWaiting = final.status === 'incomplete';
        expect(await pendingBilling(id)).toMatchObject({
          pending_plan: isOver ? null : isWaiting ? 'pro' : plan,
          pending_billing_status: isOver ? null : isWaiting ? 'inactive' : billing_status,
          pending_subscription_id: isOver ? null : final.id,
          pending_subscription_status: isOver ? null : payment_subscription_status,
          pending_price_id: isOver ? null : payment_price_id,
        });
      }),
      { numRuns: propertyRuns(20, 6) },
    );
  });

  it('ends in the state of the subscription that counts when an organization has two', async () => {
    await fc.assert(
      fc.asyncProperty(life, life, delivery, async (one, two, delivered) => {
        const id = await newOrganization();
        const metadata = { billing_scope: 'organization', organization_id: id };
        const [first, second] = [
          eventsOf(one, metadata),
          eventsOf({ ...two, begins: one.begins + 1 + two.begins }, metadata),
        ];
        await deliverAll(
          [...some(first.events, delivered.times), ...some(second.events, delivered.times, 12)],
          delivered,
        );
        // A subscription that was never paid for does not count when the other one was.
        const isNeverPaid = ({ status }: StandInSubscription): boolean => status.startsWith('incomplete');
        const rank = (each: StandInSubscription): number => {
          if (isNeverPaid(each)) return each.status === 'incomplete' ? -1 : -2;
          return each.status === 'canceled' ? 0 : BILLING[each.status] === undefined ? 2 : 1;
        };
        const counts = rank(first.final) > rank(second.final) ? first.final : second.final;
        expect(await organizationBilling(id)).toMatchObject(expected(counts));
      }),
      { numRuns: propertyRuns(20, 6) },
    );
  });
});
