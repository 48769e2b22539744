import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { StandInEvent } from '../../support/payment-provider.js';
import { type Payments, startPayments } from '../../support/payments.js';
import { account, api, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  organizationRow,
  paymentEventRow,
  pendingPlan,
  setBillingStatus,
  setCustomer,
  storeMonthlyUse,
} from '../../support/sql-builders/billing.js';
import { dailyUsage, organizationAudit, setPlan } from '../../support/sql-builders/tenancy.js';

const NOW = seconds();
const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
/** No event of this id is ever stored. */
const BAD = randomId('evt_bad');

describe('an event of the payment provider', () => {
  let provider: Payments;
  let acme: Tenant;

  beforeAll(async () => {
    provider = await startPayments();
  });
  beforeEach(async () => {
    provider.reset();
    acme = await tenant();
    await provider.serves(acme);
  });

  const send = (payload: string | Buffer, headers: Record<string, string>) =>
    api.post('/v1/stripe/webhook', payload).set(headers);
  const deliver = (event: StandInEvent) => {
    const payload = JSON.stringify(event);
    return send(payload, { 'Content-Type': 'application/json', 'Provider-Signature': provider.sign(payload) });
  };
  const stored = (id: string = acme.organizationId) => organizationRow(id);
  const outcomeOf = async (id: string) => (await paymentEventRow(id))?.outcome;
  const billingAudit = async () =>
    (await organizationAudit(acme.organizationId)).filter(({ action }) => action.startsWith('billing.'));
  const scope = (organizationId: string = acme.organizationId) => ({
    billing_scope: 'organization',
    organization_id: organizationId,
  });
  const subscription = (given: Parameters<Payments['subscription']>[0] = {}) =>
    provider.subscription({ metadata: scope(), created: NOW, ...given });
  const changed = (object: object, created = NOW) =>
    provider.event('customer.subscription.updated', object, { created });

  describe('the signature of an event of the payment provider', () => {
    const own = (): string => JSON.stringify({ id: randomId('evt'), type: 'ping', created: NOW, data: { object: {} } });

    it.each(['Provider-Signature', 'Stripe-Signature', 'provider-signature'])(
      'is accepted in the header %s',
      async (header) => {
        for (const sign of [(text: string) => provider.sign(text), (text: string) => provider.signByHand(text)]) {
          const text = own();
          await send(text, { [header]: sign(text), 'Content-Type': 'application/json' }).expect(200, {
            ok: true,
            ignored: true,
          });
        }
      },
    );

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])(
      'is accepted with a body of the media type %s',
      async (type) => {
        const text = own();
        await send(text, { 'Provider-Signature': provider.sign(text), 'Content-Type': type }).expect(200);
      },
    );

    it('covers the body as it was sent, with its spaces and line breaks', async () => {
      const text = `  ${own().replaceAll(',', ' ,\n')} `;
      await send(text, { 'Provider-Signature': provider.sign(text), 'Content-Type': 'application/json' }).expect(200);
    });

    const MISSING = 'Missing Provider-Signature header';
    const INVALID = 'Invalid signature';
    it.each<[string, (payload: string) => Record<string, string>, string]>([
      ['no header', () => ({}), MISSING],
      ['an empty header', () => ({ 'Provider-Signature': '' }), MISSING],
      ['a header of plain text', () => ({ 'Provider-Signature': 'nonsense' }), INVALID],
      [
        'a signature of another secret',
        (payload) => ({ 'Provider-Signature': provider.signByHand(payload, seconds(), 'whsec_other') }),
        INVALID,
      ],
      [
        'a signature of another body',
        (payload) => ({ 'Provider-Signature': provider.signByHand(`${payload} `) }),
        INVALID,
      ],
      [
        'a signature of another scheme',
        (payload) => ({ 'Provider-Signature': provider.signByHand(payload).replace('v1=', 'v0=') }),
        INVALID,
      ],
      [
        'a signature whose time was changed',
        (payload) => ({
          'Provider-Signature': provider.signByHand(payload, seconds() - 60).replace(/t=\d+/, `t=${seconds()}`),
        }),
        INVALID,
      ],
      [
        'a signature of 310 seconds ago',
        (payload) => ({ 'Provider-Signature': provider.sign(payload, seconds() - 310) }),
        INVALID,
      ],
      [
        'two signatures with a time each, as a repeated header has,',
        (payload) => ({
          'Provider-Signature': `${provider.signByHand(payload, seconds() - 10)}, ${provider.signByHand(payload)}`,
        }),
        INVALID,
      ],
      [
        'a signature of the future',
        (payload) => ({ 'Provider-Signature': provider.sign(payload, seconds() + 400) }),
        INVALID,
      ],
      [
        'a good signature under the alias and a bad one',
        (payload) => ({ 'Provider-Signature': 't=1,v1=00', 'Stripe-Signature': provider.sign(payload) }),
        INVALID,
      ],
    ])('is refused when the request has %s and nothing is stored', async (_, headers, detail) => {
      const payload = own();
      await send(payload, { 'Content-Type': 'application/json', ...headers(payload) }).expect(400, { detail });
      const { id } = JSON.parse(payload) as { id: string };
      expect(await paymentEventRow(id)).toBeUndefined();
    });

    it('is accepted when it is 290 seconds old', async () => {
      const text = own();
      await send(text, { 'Provider-Signature': provider.signByHand(text, seconds() - 290) }).expect(200);
    });

    it('is accepted when it is the only good one among several', async () => {
      const text = own();
      const signature = provider.signByHand(text);
      const several = `${signature.replace(/v1=.*/, `v1=${'0'.repeat(64)}`)},${signature.replace(/^t=\d+,/, '')}`;
      await send(text, { 'Provider-Signature': several }).expect(200);
    });
  });

  it.each([
    ['no JSON', '{"id": '],
    ['nothing', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['no id', JSON.stringify({ type: 'x', created: 1, data: { object: {} } })],
    ['an id that cannot be stored', '{"id":"evt_\\u0000","type":"x","created":1,"data":{"object":{}}}'],
    ['no type', JSON.stringify({ id: BAD, created: 1, data: { object: {} } })],
    ['a time that is none', JSON.stringify({ id: BAD, type: 'x', created: 1e20, data: { object: {} } })],
    ['no object', JSON.stringify({ id: BAD, type: 'x', created: 1, data: {} })],
    [
      'a subscription without status',
      JSON.stringify({
        id: BAD,
        type: 'customer.subscription.updated',
        created: 1,
        data: { object: { id: 'sub_1' } },
      }),
    ],
    [
      'a session without id',
      JSON.stringify({ id: BAD, type: 'checkout.session.completed', created: 1, data: { object: {} } }),
    ],
  ])('is refused with 400 when its body is malformed: %s', async (_, text) => {
    await send(text, { 'Provider-Signature': provider.signByHand(text) }).expect(400, { detail: 'Invalid payload' });
    expect(await paymentEventRow(BAD)).toBeUndefined();
  });

  it('is refused with 415 when its body is compressed', async () => {
    const binary = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    await send(binary, { 'Provider-Signature': 't=1,v1=0', 'Content-Encoding': 'gzip' }).expect(415);
  });

  it('is stored as it came, with its mode, its organization and its outcome', async () => {
    const event = { ...changed(subscription()), livemode: true };
    const payload = `${JSON.stringify(event)}\n`;
    await send(payload, { 'Stripe-Signature': provider.sign(payload) }).expect(200, { ok: true });
    expect(await paymentEventRow(event.id)).toEqual({
      id: event.id,
      type: 'customer.subscription.updated',
      live_mode: true,
      payload,
      received_at: expect.any(Date),
      organization_id: acme.organizationId,
      user_id: null,
      outcome: 'applied',
      processed_at: expect.any(Date),
      failures: 0,
      last_error: null,
    });
  });

  it('gives the organization what its subscription pays for, and writes that to the audit log', async () => {
    const object = subscription({ price: provider.prices.scale, status: 'trialing' });
    await deliver(provider.event('customer.subscription.created', object)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({
      plan: 'scale',
      billing_status: 'trialing',
      payment_customer_id: object.customer,
      payment_subscription_id: object.id,
      payment_subscription_status: 'trialing',
      payment_price_id: provider.prices.scale,
    });
    const [act] = await billingAudit();
    expect(act).toMatchObject({
      actor_user_id: null,
      action: 'billing.subscription_changed',
      detail: { from: { plan: 'free', billing_status: 'active' }, to: { plan: 'scale', billing_status: 'trialing' } },
    });
  });

  it.each([
    ['active', 'active'],
    ['trialing', 'trialing'],
    ['past_due', 'past_due'],
    ['unpaid', 'inactive'],
    ['incomplete', 'active'],
    ['incomplete_expired', 'active'],
    ['paused', 'inactive'],
    ['canceled', 'canceled'],
  ])('turns the subscription status %s into the billing status %s', async (status, billingStatus) => {
    await deliver(changed(subscription({ status }))).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ billing_status: billingStatus, payment_subscription_status: status });
  });

  describe('an event of a subscription that was never paid for', () => {
    const events = (object: ReturnType<typeof subscription>) => [
      provider.event('customer.subscription.created', { ...object, status: 'incomplete' }, { created: NOW }),
      changed({ ...object, status: 'incomplete' }, NOW + 1),
      changed({ ...object, status: 'incomplete_expired' }, NOW + 2),
      provider.event('customer.subscription.deleted', object, { created: NOW + 3 }),
    ];

    it.each<['free' | 'enterprise' | 'scale', string]>([
      ['free', 'active'],
      ['enterprise', 'active'],
      ['enterprise', 'suspended'],
      ['scale', 'canceled'],
    ])('leaves an organization on the plan %s that is %s as it is, in every order', async (plan, status) => {
      await setPlan(acme.organizationId, plan);
      await setBillingStatus(acme.organizationId, status);
      const ended = subscription({ status: 'incomplete_expired' });
      for (const life of [events(ended), events({ ...ended, id: `${ended.id}_2` }).reverse()]) {
        for (const event of life) {
          await deliver(event).expect(200, { ok: true });
          expect(await stored()).toMatchObject({ plan, billing_status: status });
        }
      }
      const { body } = await api
        .as(acme.owner)
        .get('/v1/billing/status', { organization_id: acme.organizationId })
        .expect(200);
      expect(body).toMatchObject({ plan, billing_status: status });
    });

    it('leaves the paid plan of another subscription as it is, also after the end of that one', async () => {
      const paid = subscription({ price: provider.prices.scale });
      await deliver(changed(paid, NOW)).expect(200, { ok: true });
      for (const event of events(subscription())) {
        await deliver(event).expect(200, { ok: true });
        expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'active' });
      }
      await deliver(provider.event('customer.subscription.deleted', paid, { created: NOW + 9 })).expect(200);
      for (const event of events(subscription())) await deliver(event).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'canceled' });
    });

    it('leaves the plan as it is when the subscription is deleted without another status', async () => {
      const object = subscription({ status: 'incomplete' });
      await deliver(provider.event('customer.subscription.created', object, { created: NOW })).expect(200);
      const end = { ...object, status: 'canceled' };
      await deliver(provider.event('customer.subscription.deleted', end, { created: NOW + 3 })).expect(200);
      expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active' });
      // A payment before that end is reported late.
      await deliver(changed({ ...object, status: 'active' }, NOW + 2)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'canceled' });
    });

    it('gives way to the first payment of the subscription', async () => {
      const object = subscription({ price: provider.prices.scale });
      for (const event of events(object).slice(0, 2)) await deliver(event).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active' });
      await deliver(changed(object, NOW + 5)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'active' });
    });
  });

  it('makes the organization inactive while the provider collects no payments', async () => {
    const object = subscription();
    const pause = { behavior: 'void', resumes_at: null };
    await deliver(changed({ ...object, pause_collection: pause }, NOW)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'inactive' });
    await deliver(changed({ ...object, pause_collection: null }, NOW + 1)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'active' });
  });

  it('cancels the organization at the end of its subscription, and keeps the plan', async () => {
    const object = subscription({ price: provider.prices.scale });
    await deliver(changed(object, NOW)).expect(200);
    await deliver(provider.event('customer.subscription.deleted', object, { created: NOW + 5 })).expect(200, {
      ok: true,
    });
    expect(await stored()).toMatchObject({
      plan: 'scale',
      billing_status: 'canceled',
      payment_subscription_id: object.id,
    });
  });

  it('needs no status to end a subscription', async () => {
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    const { id, customer } = object;
    await deliver(provider.event('customer.subscription.deleted', { id, customer }, { created: NOW + 5 })).expect(200, {
      ok: true,
    });
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'canceled' });
  });

  it('leaves the plan as it is when the price is unknown, and logs the price', async () => {
    const [object, unknown] = [subscription(), randomId('price_unknown')];
    await deliver(changed(object, NOW)).expect(200);
    await deliver(changed({ ...object, items: { data: [{ price: { id: unknown } }] } }, NOW + 1)).expect(200, {
      ok: true,
    });
    expect(await stored()).toMatchObject({ plan: 'pro', payment_price_id: unknown });
    expect(await logText()).toContain(unknown);
  });

  it('takes the plan from the price that is known among several', async () => {
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    const data = [{ price: { id: 'price_other' } }, { price: { id: provider.prices.enterprise } }];
    await deliver(changed({ ...object, items: { data } }, NOW + 2)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'enterprise' });
  });

  it('gives the plan scale where its metadata name the plan business', async () => {
    const object = { ...subscription(), items: { data: [] }, metadata: { ...scope(), plan: 'business' } };
    await deliver(changed(object)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'scale' });
  });

  it('is reported as a duplicate when it comes again, also one that is ignored', async () => {
    const event = changed(subscription());
    await deliver(event).expect(200, { ok: true });
    await deliver(event).expect(200, { ok: true, duplicate: true });
    expect(await billingAudit()).toHaveLength(1);

    const unhandled = provider.event('invoice.paid', { id: 'in_1' });
    await deliver(unhandled).expect(200, { ok: true, ignored: true });
    await deliver(unhandled).expect(200, { ok: true, duplicate: true });
    expect(await paymentEventRow(unhandled.id)).toMatchObject({ outcome: 'ignored', organization_id: null });
  });

  it('changes nothing when it is older than what is known', async () => {
    const object = subscription({ price: provider.prices.scale });
    await deliver(changed(object, NOW)).expect(200);
    const before = await stored();
    const late = [
      changed({ ...object, status: 'unpaid', items: { data: [{ price: { id: provider.prices.pro } }] } }, NOW - 1),
      provider.event('customer.subscription.deleted', object, { created: NOW - 2 }),
      provider.event('customer.subscription.created', { ...object, status: 'incomplete' }, { created: NOW }),
      provider.event(
        'checkout.session.completed',
        { id: 'cs_late', mode: 'subscription', subscription: object.id, customer: object.customer, metadata: scope() },
        { created: NOW - 1 },
      ),
    ];
    for (const event of late) {
      await deliver(event).expect(200, { ok: true });
      expect(await outcomeOf(event.id)).toBe('outdated');
    }
    expect(await stored()).toEqual(before);
    expect(provider.requests).toEqual([]);
  });

  it('takes the state from the provider when two events have the same second', async () => {
    const object = subscription({ price: provider.prices.scale, status: 'past_due' });
    provider.subscriptions.set(object.id, object);
    await deliver(changed({ ...object, status: 'active' }, NOW)).expect(200);
    await deliver(changed({ ...object, status: 'unpaid' }, NOW)).expect(200, { ok: true });
    expect(provider.asked('GET', /subscriptions/)).toHaveLength(1);
    expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'past_due' });
    await deliver(provider.event('customer.subscription.deleted', object, { created: NOW })).expect(200);
    expect(await stored()).toMatchObject({ billing_status: 'canceled' });
  });

  it('counts a payment that an event shows, although the provider says that the subscription has ended since', async () => {
    const object = subscription({ status: 'incomplete' });
    const begun = provider.event('customer.subscription.created', object, { created: NOW });
    provider.subscriptions.set(object.id, { ...object, status: 'canceled' });
    await deliver(begun).expect(200);
    await deliver(changed({ ...object, status: 'incomplete' }, NOW)).expect(200);
    await deliver(changed({ ...object, status: 'incomplete' }, NOW)).expect(200);
    expect(await stored()).toMatchObject({ billing_status: 'active', payment_subscription_status: 'canceled' });
    await deliver(changed({ ...object, status: 'active' }, NOW)).expect(200);
    expect(await stored()).toMatchObject({ billing_status: 'canceled', payment_subscription_status: 'canceled' });
  });

  it('replaces an earlier one of the same second when the provider knows no such subscription', async () => {
    const object = subscription();
    for (const status of ['active', 'past_due', 'unpaid', 'trialing']) {
      await deliver(changed({ ...object, status }, NOW)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ payment_subscription_status: status });
    }
  });

  it('returns 500 when the provider fails to settle the order, and is processed when it comes again', async () => {
    const object = subscription({ price: provider.prices.scale, status: 'past_due' });
    provider.subscriptions.set(object.id, object);
    await deliver(changed({ ...object, status: 'active' }, NOW)).expect(200);
    provider.misbehaving.set('/v1/subscriptions', 'refusal');
    const event = changed({ ...object, status: 'unpaid' }, NOW);
    await deliver(event).expect(500, { detail: 'Internal Server Error' });
    await deliver(event).expect(500);
    expect(await paymentEventRow(event.id)).toMatchObject({
      outcome: null,
      processed_at: null,
      failures: 2,
      last_error: 'Payment provider request failed',
    });
    expect(await stored()).toMatchObject({ billing_status: 'active' });
    provider.misbehaving.clear();
    await deliver(event).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ billing_status: 'past_due' });
    await deliver(event).expect(200, { ok: true, duplicate: true });
  });

  it('gives way to a newer one that arrives while the provider answers', async () => {
    const object = subscription({ status: 'active' });
    provider.subscriptions.set(object.id, object);
    await deliver(changed({ ...object, status: 'unpaid' }, NOW)).expect(200);
    let isFirst = true;
    provider.before.set('/v1/subscriptions', async () => {
      if (!isFirst) return;
      isFirst = false;
      await deliver(changed({ ...object, status: 'past_due' }, NOW + 9)).expect(200, { ok: true });
    });
    const event = changed({ ...object, status: 'paused' }, NOW);
    await deliver(event).expect(200, { ok: true });
    expect(await outcomeOf(event.id)).toBe('outdated');
    expect(await stored()).toMatchObject({ billing_status: 'past_due' });
  });

  describe('an event of a completed checkout', () => {
    const begin = async (): Promise<string> => {
      const { body } = await api
        .as(acme.owner)
        .post('/v1/billing/checkout-session', { organization_id: acme.organizationId, plan: 'pro' })
        .expect(200);
      return (body as { checkout_session_id: string }).checkout_session_id;
    };
    const completed = (sessionId: string, created = NOW) =>
      provider.event('checkout.session.completed', provider.sessions.get(sessionId) ?? {}, { created });

    it('gives the organization the state of its subscription', async () => {
      const session = await begin();
      const object = provider.pay(session, { status: 'trialing', price: provider.prices.proEur });
      await deliver(completed(session)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({
        plan: 'pro',
        billing_status: 'trialing',
        payment_subscription_id: object.id,
        payment_customer_id: object.customer,
      });
    });

    it('counts as newer than the other events of its second', async () => {
      const session = await begin();
      const object = provider.pay(session, { status: 'past_due', price: provider.prices.scale });
      await deliver(completed(session)).expect(200, { ok: true });
      await deliver(changed({ ...object, status: 'unpaid' }, NOW)).expect(200, { ok: true });
      await deliver(
        provider.event('customer.subscription.created', { ...object, status: 'incomplete' }, { created: NOW }),
      ).expect(200);
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'past_due' });
    });

    it('returns 500 while the provider fails, and is processed when it comes again', async () => {
      const session = await begin();
      provider.pay(session);
      provider.misbehaving.set('/v1/subscriptions', 'refusal');
      const event = completed(session);
      await deliver(event).expect(500);
      provider.misbehaving.clear();
      await deliver(event).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'pro' });
    });

    it('is ignored when the checkout was for no subscription', async () => {
      const oneTime = { id: 'cs_once', mode: 'payment', subscription: null, customer: 'cus_1', metadata: scope() };
      await deliver(provider.event('checkout.session.completed', oneTime)).expect(200, { ok: true, ignored: true });
      expect(await stored()).toMatchObject({ plan: 'free', payment_subscription_id: null, payment_customer_id: null });
    });

    describe('an event of a completed checkout whose subscription the provider does not know', () => {
      const session = (object: { id: string; customer: string | null }, given: object = {}) =>
        provider.event(
          'checkout.session.completed',
          {
            id: `cs_${object.id}`,
            mode: 'subscription',
            status: 'complete',
            payment_status: 'paid',
            subscription: object.id,
            customer: object.customer,
            metadata: { ...scope(), plan: 'scale' },
            ...given,
          },
          { created: NOW },
        );

      it('counts as a payment for the plan that its metadata name', async () => {
        const object = subscription();
        await deliver(session(object)).expect(200, { ok: true });
        expect(await stored()).toMatchObject({
          plan: 'scale',
          billing_status: 'active',
          payment_subscription_id: object.id,
          payment_customer_id: object.customer,
          payment_subscription_status: 'active',
          payment_price_id: null,
        });
      });

      it('leaves the organization as it is while the payment is still to come', async () => {
        await deliver(session(subscription(), { payment_status: 'unpaid' })).expect(200, { ok: true });
        expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active' });
      });

      it("changes nothing that the subscription's own events say, older or newer", async () => {
        const object = subscription({ price: provider.prices.enterprise, status: 'past_due' });
        await deliver(session(object)).expect(200, { ok: true });
        await deliver(changed(object, NOW - 60)).expect(200, { ok: true });
        const state = { plan: 'enterprise', billing_status: 'past_due', payment_price_id: provider.prices.enterprise };
        expect(await stored()).toMatchObject(state);
        await deliver(session(object)).expect(200, { ok: true });
        expect(await stored()).toMatchObject(state);
      });

      it('adds what the events of the subscription leave open', async () => {
        const { id, status, metadata, customer } = subscription({ status: 'trialing' });
        await deliver(changed({ id, status, metadata }, NOW - 60)).expect(200, { ok: true });
        expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'trialing', payment_customer_id: null });
        await deliver(session({ id, customer })).expect(200, { ok: true });
        expect(await stored()).toMatchObject({
          plan: 'scale',
          billing_status: 'trialing',
          payment_customer_id: customer,
        });
      });

      it('is left unmatched when its mode is not that of the secret key', async () => {
        const event = { ...session(subscription()), livemode: true };
        await deliver(event).expect(200, { ok: true, ignored: true });
        expect(await outcomeOf(event.id)).toBe('unmatched');
        expect(await stored()).toMatchObject({ plan: 'free', payment_subscription_id: null });
      });

      it('makes a plan pending for an account without an organization', async () => {
        const person = await account();
        const metadata = { billing_scope: 'pre_workspace', user_id: person.id, plan: 'pro' };
        await deliver(session(subscription(), { metadata })).expect(200, { ok: true });
        expect(await pendingPlan(person.id)).toEqual({ pending_plan: 'pro', pending_billing_status: 'active' });
      });
    });
  });

  describe('the owner of an event of the payment provider', () => {
    it('is found without metadata by the stored subscription, then by the customer', async () => {
      const object = subscription();
      await deliver(changed(object, NOW)).expect(200);
      await deliver(changed({ ...object, customer: null, metadata: {}, status: 'past_due' }, NOW + 1)).expect(200, {
        ok: true,
      });
      expect(await stored()).toMatchObject({ billing_status: 'past_due' });
      const other = provider.subscription({
        customer: object.customer,
        price: provider.prices.scale,
        created: NOW + 100,
      });
      await deliver(changed(other, NOW + 101)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({
        plan: 'scale',
        billing_status: 'active',
        payment_subscription_id: other.id,
      });
    });

    it('is nobody when the event is about another product of a known customer', async () => {
      const { customer } = provider.subscription();
      await setCustomer(acme.organizationId, customer);
      const foreign = (given: object = {}) => provider.subscription({ customer, price: 'price_of_a_book', ...given });
      const before = await stored();
      const ignored = [
        provider.event('customer.subscription.created', foreign(), { created: NOW }),
        ...['active', 'past_due', 'unpaid', 'incomplete', 'paused'].map((status) => changed(foreign({ status }))),
        changed(foreign({ metadata: { plan: 'scale', billing_scope: 'organization' } })),
        changed({ ...foreign(), items: { data: [] } }),
        provider.event('customer.subscription.deleted', foreign(), { created: NOW }),
        provider.event('checkout.session.completed', {
          id: 'cs_book',
          mode: 'subscription',
          customer,
          subscription: foreign().id,
          metadata: { plan: 'scale' },
        }),
      ];
      for (const event of ignored) {
        await deliver(event).expect(200, { ok: true, ignored: true });
        expect(await outcomeOf(event.id)).toBe('unmatched');
        expect(await stored()).toEqual(before);
      }
      // One of several prices is ours.
      const mixed = { ...foreign(), items: { data: [{ price: 'price_of_a_book' }, { price: provider.prices.scale }] } };
      await deliver(changed(mixed)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'active' });
      // It stays ours when its price changes.
      await deliver(changed({ ...foreign({ status: 'past_due' }), id: mixed.id }, NOW + 60)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'past_due' });
    });

    it('is nobody when nothing is known, or when metadata, customer and subscription contradict each other', async () => {
      const globex = await tenant();
      const mine = subscription();
      await deliver(changed(mine, NOW)).expect(200);
      const before = [await stored(), await stored(globex.organizationId)];
      const unmatched = [
        provider.subscription(),
        provider.subscription({ metadata: scope(NOWHERE) }),
        provider.subscription({ metadata: { billing_scope: 'organization', organization_id: 'not an id' } }),
        provider.subscription({
          metadata: { billing_scope: 'pre_workspace', user_id: NOWHERE },
        }),
        provider.subscription({ metadata: scope(globex.organizationId), customer: mine.customer }),
        { ...mine, metadata: scope(globex.organizationId) },
      ];
      for (const object of unmatched) {
        const event = changed(object, NOW + 10);
        await deliver(event).expect(200, { ok: true, ignored: true });
        expect(await outcomeOf(event.id)).toBe('unmatched');
      }
      expect([await stored(), await stored(globex.organizationId)]).toEqual(before);
    });
  });

  it('changes no organization when it is of a checkout that names two owners', async () => {
    const globex = await tenant();
    const object = subscription();
    provider.subscriptions.set(object.id, object);
    const completed = (given: object) =>
      provider.event('checkout.session.completed', {
        id: 'cs_two',
        mode: 'subscription',
        subscription: object.id,
        customer: object.customer,
        metadata: scope(),
        ...given,
      });
    const before = [await stored(), await stored(globex.organizationId)];
    for (const event of [
      completed({ client_reference_id: globex.organizationId }),
      completed({ metadata: scope(globex.organizationId) }),
      completed({
        metadata: { billing_scope: 'pre_workspace', user_id: acme.owner.id },
        client_reference_id: globex.owner.id,
      }),
    ])
      await deliver(event).expect(200, { ok: true, ignored: true });
    expect([await stored(), await stored(globex.organizationId)]).toEqual(before);
    // What is nobody's name, or that of the person who paid, says nothing about the organization.
    for (const reference of ['order 17', acme.owner.id, NOWHERE, acme.organizationId])
      await deliver(completed({ client_reference_id: reference })).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'pro', payment_subscription_id: object.id });
  });

  it('does not end a newer subscription when it is of an older one', async () => {
    const [older, newer] = [
      subscription({ created: NOW - 1000 }),
      subscription({ created: NOW - 10, price: provider.prices.scale }),
    ];
    await deliver(changed(newer, NOW)).expect(200);
    await deliver(changed(older, NOW + 1)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'scale', payment_subscription_id: newer.id });
    await deliver(provider.event('customer.subscription.deleted', older, { created: NOW + 2 })).expect(200);
    expect(await stored()).toMatchObject({
      plan: 'scale',
      billing_status: 'active',
      payment_subscription_id: newer.id,
    });
    await deliver(provider.event('customer.subscription.deleted', newer, { created: NOW + 3 })).expect(200);
    expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'canceled' });
  });

  it.each(['blocked', 'suspended'])('does not activate an organization that the platform has %s', async (hold) => {
    const object = subscription();
    await setBillingStatus(acme.organizationId, hold);
    await deliver(changed(object, NOW)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: hold });
    await deliver(provider.event('customer.subscription.deleted', object, { created: NOW + 1 })).expect(200);
    expect(await stored()).toMatchObject({ billing_status: 'canceled' });
    await deliver(changed(subscription({ created: NOW + 2 }), NOW + 2)).expect(200);
    expect(await stored()).toMatchObject({ billing_status: hold });
  });

  it('keeps a plan that the platform has set until the subscription gets another one', async () => {
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    await setPlan(acme.organizationId, 'enterprise');
    await deliver(changed({ ...object, status: 'past_due' }, NOW + 1)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'enterprise', billing_status: 'past_due' });
    await deliver(changed({ ...object, items: { data: [{ price: provider.prices.scale }] } }, NOW + 2)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'scale' });
  });

  it('changes the limits of the organization at once, and a downgrade keeps what exists', async () => {
    const asOwner = api.as(acme.owner);
    const newProject = (slug: string) =>
      asOwner.post('/v1/projects', { organization_id: acme.organizationId, name: slug, slug });
    const newOrganization = () =>
      asOwner.post('/v1/organizations', { name: 'More', slug: randomBytes(6).toString('hex') });
    await newProject('second').expect(403, { detail: 'Plan limit reached: projects' });
    await newOrganization().expect(403, { detail: 'Plan limit reached: organizations' });
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    await newProject('second').expect(201);
    await newOrganization().expect(201);
    await newOrganization().expect(201);
    await newOrganization().expect(403, { detail: 'Plan limit reached: organizations' });

    const priced = (price: string) => ({ ...object, items: { data: [{ price }] } });
    const newSource = (name: string) =>
      asOwner.post('/v1/ingest-sources', { project_id: acme.projectId, name, type: 'http' });
    const count = async (path: string): Promise<number> => {
      const { body } = await asOwner.get(path).expect(200);
      return (body as unknown[]).length;
    };
    await deliver(changed(priced(provider.prices.scale), NOW + 1)).expect(200);
    await newOrganization().expect(201);
    for (const name of ['one', 'two', 'three', 'four']) await newSource(name).expect(201);
    await deliver(changed(priced(provider.prices.pro), NOW + 2)).expect(200);
    await newOrganization().expect(403, { detail: 'Plan limit reached: organizations' });
    await newSource('five').expect(403, { detail: 'Plan limit reached: sources' });
    await newProject('third').expect(201);
    expect(await count('/v1/organizations')).toBe(4);
    expect(await count(`/v1/ingest-sources?project_id=${acme.projectId}`)).toBe(4);
  });

  it('holds for the next event that is ingested', async () => {
    const ingest = () => api.as(acme.key).post('/v1/events/ingest', { event_type: 'x', source: 's' });
    await storeMonthlyUse(acme.organizationId, { events: 10_000 });
    await ingest().expect(403, { detail: 'Monthly quota exceeded (events)' });
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    await ingest().expect(200);
    await deliver(changed({ ...object, status: 'unpaid' }, NOW + 1)).expect(200);
    await ingest().expect(403, { detail: 'Organization billing is not active.' });
    await deliver(changed({ ...object, status: 'past_due' }, NOW + 2)).expect(200);
    await ingest().expect(200);
    await deliver(provider.event('customer.subscription.deleted', object, { created: NOW + 3 })).expect(200);
    await ingest().expect(403, { detail: 'Organization billing is not active.' });
  });

  it('is neither limited nor metered, also with an API key', async () => {
    for (let count = 0; count < 3; count += 1) {
      const payload = JSON.stringify(provider.event('invoice.paid', {}));
      const headers = { 'Provider-Signature': provider.sign(payload), 'X-API-Key': acme.key.apiKey };
      const answer = await send(payload, headers).expect(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    }
    // The service counts this request after the events: once it is counted, they would be too.
    await api.as(acme.key).get('/v1/billing/status').expect(200);
    const metered = async (): Promise<number> =>
      (await dailyUsage(acme.projectId)).reduce((sum, { requests }) => sum + requests, 0);
    expect(await eventually(metered, (requests) => requests > 0)).toBe(1);
  });
});

/** The time of now as the payment provider writes it. */
function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}
