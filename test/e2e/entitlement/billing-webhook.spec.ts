import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { PaymentStandIn, type StandInEvent } from '../../support/payment-provider.js';

const NOW = Math.floor(Date.now() / 1000);

describe('events of the payment provider', () => {
  let app: TestApp;
  let provider: PaymentStandIn;
  let owner: Owner;

  beforeAll(async () => {
    provider = await PaymentStandIn.start();
    app = await createTestApp({ env: { ...provider.env, MAX_BODY_BYTES: '20000' } });
  });
  beforeEach(async () => {
    provider.reset();
    owner = await ownerWithProject(app);
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const send = (payload: string | Buffer, headers: Record<string, string>) =>
    app
      .request()
      .post('/v1/stripe/webhook')
      .set(headers)
      .serialize((body) => body as string)
      .send(payload);
  const deliver = (event: StandInEvent) => {
    const payload = JSON.stringify(event);
    return send(payload, { 'Content-Type': 'application/json', 'Provider-Signature': provider.sign(payload) });
  };
  const stored = async (id: string = owner.organizationId) =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [id]))[0];
  const storedEvent = async (id: string) =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM payment_events WHERE id = $1', [id]))[0];
  const scope = (organizationId: string = owner.organizationId) => ({
    billing_scope: 'organization',
    organization_id: organizationId,
  });
  const subscription = (given: Parameters<PaymentStandIn['subscription']>[0] = {}) =>
    provider.subscription({ metadata: scope(), created: NOW, ...given });
  const changed = (object: object, created = NOW) =>
    provider.event('customer.subscription.updated', object, { created });

  describe('are taken only with a good signature', () => {
    const payload = JSON.stringify({ id: 'evt_x', type: 'ping', created: NOW, data: { object: {} } });
    const own = (): string =>
      JSON.stringify({ ...(JSON.parse(payload) as object), id: `evt_${randomBytes(6).toString('hex')}` });

    it.each(['Provider-Signature', 'Stripe-Signature', 'provider-signature'])('in the header %s', async (header) => {
      for (const sign of [(text: string) => provider.sign(text), (text: string) => provider.signByHand(text)]) {
        const text = own();
        await send(text, { [header]: sign(text), 'Content-Type': 'application/json' }).expect(200, {
          ok: true,
          ignored: true,
        });
      }
    });

    it('whatever the media type says', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16']) {
        const text = own();
        await send(text, { 'Provider-Signature': provider.sign(text), 'Content-Type': type }).expect(200);
      }
      const loose = `  ${own().replaceAll(',', ' ,\n')} `;
      await send(loose, { 'Provider-Signature': provider.sign(loose), 'Content-Type': 'application/json' }).expect(200);
    });

    it.each([
      ['no header', () => ({}), 'Missing Provider-Signature header'],
      ['an empty header', () => ({ 'Provider-Signature': '' }), 'Missing Provider-Signature header'],
      ['text', () => ({ 'Provider-Signature': 'nonsense' }), 'Invalid signature'],
      [
        'another secret',
        () => ({ 'Provider-Signature': provider.signByHand(payload, NOW, 'whsec_other') }),
        'Invalid signature',
      ],
      ['another body', () => ({ 'Provider-Signature': provider.signByHand(`${payload} `) }), 'Invalid signature'],
      [
        'the signature of another scheme',
        () => ({ 'Provider-Signature': provider.signByHand(payload).replace('v1=', 'v0=') }),
        'Invalid signature',
      ],
      [
        'a time that was changed',
        () => ({ 'Provider-Signature': provider.signByHand(payload, NOW - 60).replace(/t=\d+/, `t=${NOW}`) }),
        'Invalid signature',
      ],
      [
        'a signature of 310 seconds ago',
        () => ({ 'Provider-Signature': provider.sign(payload, Math.floor(Date.now() / 1000) - 310) }),
        'Invalid signature',
      ],
      [
        'two signatures with a time each, as of a repeated header',
        () => ({ 'Provider-Signature': `${provider.signByHand(payload, NOW - 10)}, ${provider.signByHand(payload)}` }),
        'Invalid signature',
      ],
      [
        'a signature of the future',
        () => ({ 'Provider-Signature': provider.sign(payload, Math.floor(Date.now() / 1000) + 400) }),
        'Invalid signature',
      ],
      [
        'a good one under the alias and a bad one',
        () => ({ 'Provider-Signature': 't=1,v1=00', 'Stripe-Signature': provider.sign(payload) }),
        'Invalid signature',
      ],
    ])('and not with %s', async (_, headers, detail) => {
      await send(payload, { 'Content-Type': 'application/json', ...(headers() as Record<string, string>) }).expect(
        400,
        { detail },
      );
      expect(await storedEvent('evt_x')).toBeUndefined();
    });

    it('of 290 seconds ago too, and with one good signature among several', async () => {
      const text = own();
      const old = Math.floor(Date.now() / 1000) - 290;
      await send(text, { 'Provider-Signature': provider.signByHand(text, old) }).expect(200);
      const other = own();
      const both = `${provider.signByHand(other).replace(/v1=.*/, `v1=${'0'.repeat(64)}`)},${provider.signByHand(other).replace(/^t=\d+,/, '')}`;
      await send(other, { 'Provider-Signature': both }).expect(200);
    });

    it.each([
      ['no JSON', '{"id": '],
      ['nothing', ''],
      ['an array', '[]'],
      ['null', 'null'],
      ['no id', JSON.stringify({ type: 'x', created: 1, data: { object: {} } })],
      ['an id that cannot be stored', '{"id":"evt_\\u0000","type":"x","created":1,"data":{"object":{}}}'],
      ['no type', JSON.stringify({ id: 'evt_bad', created: 1, data: { object: {} } })],
      ['a time that is none', JSON.stringify({ id: 'evt_bad', type: 'x', created: 1e20, data: { object: {} } })],
      ['no object', JSON.stringify({ id: 'evt_bad', type: 'x', created: 1, data: {} })],
      [
        'a subscription without status',
        JSON.stringify({
          id: 'evt_bad',
          type: 'customer.subscription.updated',
          created: 1,
          data: { object: { id: 'sub_1' } },
        }),
      ],
      [
        'a session without id',
        JSON.stringify({ id: 'evt_bad', type: 'checkout.session.completed', created: 1, data: { object: {} } }),
      ],
    ])('but refused when they are malformed: %s', async (_, text) => {
      await send(text, { 'Provider-Signature': provider.signByHand(text) }).expect(400, { detail: 'Invalid payload' });
      expect(await app.rows(`SELECT 1 FROM payment_events WHERE id LIKE 'evt_bad%'`)).toEqual([]);
    });

    it('and up to the size of any body', async () => {
      const text = JSON.stringify({
        id: 'evt_big',
        type: 'x',
        created: 1,
        data: { object: { text: 'x'.repeat(30_000) } },
      });
      await send(text, { 'Provider-Signature': provider.signByHand(text) }).expect(413, {
        detail: 'Request body too large',
      });
      const binary = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
      await send(binary, { 'Provider-Signature': 't=1,v1=0', 'Content-Encoding': 'gzip' }).expect(415);
    });
  });

  it('are stored as they came, with the mode, the organization and what became of them', async () => {
    const event = { ...changed(subscription()), livemode: true };
    const payload = `${JSON.stringify(event)}\n`;
    await send(payload, { 'Stripe-Signature': provider.sign(payload) }).expect(200, { ok: true });
    expect(await storedEvent(event.id)).toEqual({
      id: event.id,
      type: 'customer.subscription.updated',
      live_mode: true,
      payload,
      received_at: expect.any(Date),
      organization_id: owner.organizationId,
      user_id: null,
      outcome: 'applied',
      processed_at: expect.any(Date),
      failures: 0,
      last_error: null,
    });
  });

  it('give the organization what its subscription pays for, and are audited', async () => {
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
    const [act] = await app.rows(`SELECT * FROM audit_events WHERE organization_id = $1 AND action LIKE 'billing.%'`, [
      owner.organizationId,
    ]);
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
  ])('with the status %s make the organization %s', async (status, billingStatus) => {
    await deliver(changed(subscription({ status }))).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ billing_status: billingStatus, payment_subscription_status: status });
  });

  describe('of a subscription that was never paid for', () => {
    const events = (object: ReturnType<typeof subscription>) => [
      provider.event('customer.subscription.created', { ...object, status: 'incomplete' }, { created: NOW }),
      changed({ ...object, status: 'incomplete' }, NOW + 1),
      changed({ ...object, status: 'incomplete_expired' }, NOW + 2),
      provider.event('customer.subscription.deleted', object, { created: NOW + 3 }),
    ];

    it.each([
      ['free', 'active'],
      ['enterprise', 'active'],
      ['enterprise', 'suspended'],
      ['scale', 'canceled'],
    ])('leave an organization on %s that is %s as it is, in every order', async (plan, status) => {
      await app.rows('UPDATE organizations SET plan = $2, billing_status = $3 WHERE id = $1', [
        owner.organizationId,
        plan,
        status,
      ]);
      const ended = subscription({ status: 'incomplete_expired' });
      for (const life of [events(ended), events({ ...ended, id: `${ended.id}_2` }).reverse()]) {
        for (const event of life) {
          await deliver(event).expect(200, { ok: true });
          expect(await stored()).toMatchObject({ plan, billing_status: status });
        }
      }
      const { body } = await app
        .request()
        .get('/v1/billing/status')
        .query({ organization_id: owner.organizationId })
        .set('Authorization', owner.bearer)
        .expect(200);
      expect(body).toMatchObject({ plan, billing_status: status });
    });

    it('leave a paid plan of another subscription as it is, also after its end', async () => {
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

    it('leave the plan as it is when the subscription is deleted without another status', async () => {
      const object = subscription({ status: 'incomplete' });
      await deliver(provider.event('customer.subscription.created', object, { created: NOW })).expect(200);
      const end = { ...object, status: 'canceled' };
      await deliver(provider.event('customer.subscription.deleted', end, { created: NOW + 3 })).expect(200);
      expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active' });
      // A payment before that end is reported late.
      await deliver(changed({ ...object, status: 'active' }, NOW + 2)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'canceled' });
    });

    it('give way to its first payment', async () => {
      const object = subscription({ price: provider.prices.scale });
      for (const event of events(object).slice(0, 2)) await deliver(event).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active' });
      await deliver(changed(object, NOW + 5)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'active' });
    });
  });

  it('stop the organization while the provider collects no payments', async () => {
    const object = subscription();
    const pause = { behavior: 'void', resumes_at: null };
    await deliver(changed({ ...object, pause_collection: pause }, NOW)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'inactive' });
    await deliver(changed({ ...object, pause_collection: null }, NOW + 1)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'active' });
  });

  it('of the end cancel, and the plan stays', async () => {
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

  it('of the end need no status', async () => {
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    const { id, customer } = object;
    await deliver(provider.event('customer.subscription.deleted', { id, customer }, { created: NOW + 5 })).expect(200, {
      ok: true,
    });
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: 'canceled' });
  });

  it('that do not say when they were made were made when they first came', async () => {
    const object = subscription({ price: provider.prices.scale });
    const { created: _, ...event } = changed(object);
    const payload = JSON.stringify(event);
    const undated = () => send(payload, { 'Provider-Signature': provider.sign(payload) });
    await app.rows('ALTER TABLE audit_events RENAME TO audit_events_elsewhere');
    await undated().expect(500);
    await app.rows('ALTER TABLE audit_events_elsewhere RENAME TO audit_events');
    await deliver(changed({ ...object, status: 'unpaid' }, NOW - 60)).expect(200);
    await app.rows(`UPDATE payment_events SET received_at = received_at - interval '30 seconds' WHERE id = $1`, [
      event.id,
    ]);
    await deliver(changed({ ...object, status: 'past_due' }, Math.floor(Date.now() / 1000) - 10)).expect(200);
    await undated().expect(200, { ok: true });
    expect((await storedEvent(event.id))?.outcome).toBe('outdated');
    expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'past_due' });
  });

  it('with an unknown price leave the plan as it is, and say so in the log', async () => {
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    await deliver(changed({ ...object, items: { data: [{ price: { id: 'price_unknown_1' } }] } }, NOW + 1)).expect(
      200,
      { ok: true },
    );
    expect(await stored()).toMatchObject({ plan: 'pro', payment_price_id: 'price_unknown_1' });
    expect(app.logLines.join('\n')).toContain('price_unknown_1');
    await deliver(
      changed(
        {
          ...object,
          items: { data: [{ price: { id: 'price_other' } }, { price: { id: provider.prices.enterprise } }] },
        },
        NOW + 2,
      ),
    ).expect(200);
    expect(await stored()).toMatchObject({ plan: 'enterprise' });
  });

  it('read business as scale where the provider’s side names a plan', async () => {
    const object = { ...subscription(), items: { data: [] }, metadata: { ...scope(), plan: 'business' } };
    await deliver(changed(object)).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'scale' });
  });

  it('that come again are told as duplicates and processed once, also in parallel at two instances', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, env: provider.env });
    const event = provider.event('customer.subscription.created', subscription());
    const payload = JSON.stringify(event);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? app : second)
          .request()
          .post('/v1/stripe/webhook')
          .set('Provider-Signature', provider.sign(payload))
          .send(payload),
      ),
    );
    await second.close();
    const bodies = answers.map(({ status, body }) => JSON.stringify([status, body])).sort();
    expect(bodies).toEqual([
      ...Array.from({ length: 19 }, () => '[200,{"ok":true,"duplicate":true}]'),
      '[200,{"ok":true}]',
    ]);
    const acts = await app.rows(`SELECT 1 FROM audit_events WHERE organization_id = $1 AND action LIKE 'billing.%'`, [
      owner.organizationId,
    ]);
    expect(acts).toHaveLength(1);

    const unhandled = provider.event('invoice.paid', { id: 'in_1' });
    await deliver(unhandled).expect(200, { ok: true, ignored: true });
    await deliver(unhandled).expect(200, { ok: true, duplicate: true });
    expect(await storedEvent(unhandled.id)).toMatchObject({ outcome: 'ignored', organization_id: null });
  });

  it('that are older than what is known change nothing', async () => {
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
      expect((await storedEvent(event.id))?.outcome).toBe('outdated');
    }
    expect(await stored()).toEqual(before);
    expect(provider.requests).toEqual([]);
  });

  it('of one second are settled by asking the provider', async () => {
    const object = subscription({ price: provider.prices.scale, status: 'past_due' });
    provider.subscriptions.set(object.id, object);
    await deliver(changed({ ...object, status: 'active' }, NOW)).expect(200);
    await deliver(changed({ ...object, status: 'unpaid' }, NOW)).expect(200, { ok: true });
    expect(provider.asked('GET', /subscriptions/)).toHaveLength(1);
    expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'past_due' });
    await deliver(provider.event('customer.subscription.deleted', object, { created: NOW })).expect(200);
    expect(await stored()).toMatchObject({ billing_status: 'canceled' });
  });

  it('of one second count in the order in which they come when the provider knows no such subscription', async () => {
    const object = subscription();
    for (const status of ['active', 'past_due', 'unpaid', 'trialing']) {
      await deliver(changed({ ...object, status }, NOW)).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ payment_subscription_status: status });
    }
  });

  it('that cannot be settled answer 500, and are processed when they come again', async () => {
    const object = subscription({ price: provider.prices.scale, status: 'past_due' });
    provider.subscriptions.set(object.id, object);
    await deliver(changed({ ...object, status: 'active' }, NOW)).expect(200);
    provider.misbehaving.set('/v1/subscriptions', 'refusal');
    const event = changed({ ...object, status: 'unpaid' }, NOW);
    await deliver(event).expect(500, { detail: 'Internal Server Error' });
    await deliver(event).expect(500);
    expect(await storedEvent(event.id)).toMatchObject({
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

  it('that fail in the database leave nothing half-done', async () => {
    const event = changed(subscription({ price: provider.prices.scale }));
    await app.rows('ALTER TABLE audit_events RENAME TO audit_events_elsewhere');
    await deliver(event).expect(500, { detail: 'Internal Server Error' });
    await app.rows('ALTER TABLE audit_events_elsewhere RENAME TO audit_events');
    expect(await stored()).toMatchObject({ plan: 'free', payment_subscription_id: null });
    expect(
      await app.rows('SELECT 1 FROM payment_subscriptions WHERE organization_id = $1', [owner.organizationId]),
    ).toEqual([]);
    await deliver(event).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'scale' });
  });

  it('give way to one that comes while the provider is asked', async () => {
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
    expect((await storedEvent(event.id))?.outcome).toBe('outdated');
    expect(await stored()).toMatchObject({ billing_status: 'past_due' });
  });

  describe('of a completed checkout', () => {
    const begin = async (): Promise<string> => {
      const { body } = await app
        .request()
        .post('/v1/billing/checkout-session')
        .set('Authorization', owner.bearer)
        .send({ organization_id: owner.organizationId, plan: 'pro' })
        .expect(200);
      return (body as { checkout_session_id: string }).checkout_session_id;
    };
    const completed = (sessionId: string, created = NOW) =>
      provider.event('checkout.session.completed', provider.sessions.get(sessionId) ?? {}, { created });

    it('give the organization the state of its subscription', async () => {
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

    it('are newer than what else happened in that second', async () => {
      const session = await begin();
      const object = provider.pay(session, { status: 'past_due', price: provider.prices.scale });
      await deliver(completed(session)).expect(200, { ok: true });
      await deliver(changed({ ...object, status: 'unpaid' }, NOW)).expect(200, { ok: true });
      await deliver(
        provider.event('customer.subscription.created', { ...object, status: 'incomplete' }, { created: NOW }),
      ).expect(200);
      expect(await stored()).toMatchObject({ plan: 'scale', billing_status: 'past_due' });
    });

    it('wait for a provider that fails', async () => {
      const session = await begin();
      provider.pay(session);
      provider.misbehaving.set('/v1/subscriptions', 'refusal');
      const event = completed(session);
      await deliver(event).expect(500);
      provider.misbehaving.clear();
      await deliver(event).expect(200, { ok: true });
      expect(await stored()).toMatchObject({ plan: 'pro' });
    });

    it('are ignored when it was for no subscription', async () => {
      const oneTime = { id: 'cs_once', mode: 'payment', subscription: null, customer: 'cus_1', metadata: scope() };
      await deliver(provider.event('checkout.session.completed', oneTime)).expect(200, { ok: true, ignored: true });
      expect(await stored()).toMatchObject({ plan: 'free', payment_subscription_id: null, payment_customer_id: null });
    });

    describe('whose subscription the provider does not know', () => {
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

      it('are taken as paid for the plan they name', async () => {
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

      it('leave the organization as it is while the payment is still to come', async () => {
        await deliver(session(subscription(), { payment_status: 'unpaid' })).expect(200, { ok: true });
        expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active' });
      });

      it("say less than the subscription's own events, older or newer", async () => {
        const object = subscription({ price: provider.prices.enterprise, status: 'past_due' });
        await deliver(session(object)).expect(200, { ok: true });
        await deliver(changed(object, NOW - 60)).expect(200, { ok: true });
        const state = { plan: 'enterprise', billing_status: 'past_due', payment_price_id: provider.prices.enterprise };
        expect(await stored()).toMatchObject(state);
        await deliver(session(object)).expect(200, { ok: true });
        expect(await stored()).toMatchObject(state);
      });

      it('fill in what those leave open', async () => {
        const { id, status, metadata } = subscription({ status: 'trialing' });
        await deliver(changed({ id, status, metadata }, NOW - 60)).expect(200, { ok: true });
        expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'trialing', payment_customer_id: null });
        await deliver(session({ id, customer: 'cus_of_checkout' })).expect(200, { ok: true });
        expect(await stored()).toMatchObject({
          plan: 'scale',
          billing_status: 'trialing',
          payment_customer_id: 'cus_of_checkout',
        });
      });

      it('are left when they are of the other mode than the key', async () => {
        const event = { ...session(subscription()), livemode: true };
        await deliver(event).expect(200, { ok: true, ignored: true });
        expect((await storedEvent(event.id))?.outcome).toBe('unmatched');
        expect(await stored()).toMatchObject({ plan: 'free', payment_subscription_id: null });
      });

      it('make a plan pending for somebody without an organization', async () => {
        const person = await signedIn(app);
        const metadata = { billing_scope: 'pre_workspace', user_id: person.id, plan: 'pro' };
        await deliver(session(subscription(), { metadata })).expect(200, { ok: true });
        expect(
          await app.rows('SELECT pending_plan, pending_billing_status FROM users WHERE id = $1', [person.id]),
        ).toEqual([{ pending_plan: 'pro', pending_billing_status: 'active' }]);
      });
    });
  });

  describe('find whose they are', () => {
    it('without metadata by the stored subscription, then by the customer', async () => {
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

    it('and are ignored when they are about another product of a known customer', async () => {
      await app.rows('UPDATE organizations SET payment_customer_id = $2 WHERE id = $1', [
        owner.organizationId,
        `cus_${owner.organizationId}`,
      ]);
      const foreign = (given: object = {}) =>
        provider.subscription({ customer: `cus_${owner.organizationId}`, price: 'price_of_a_book', ...given });
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
          customer: `cus_${owner.organizationId}`,
          subscription: 'sub_of_a_book',
          metadata: { plan: 'scale' },
        }),
      ];
      for (const event of ignored) {
        await deliver(event).expect(200, { ok: true, ignored: true });
        expect((await storedEvent(event.id))?.outcome).toBe('unmatched');
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

    it('and belong to nobody when nothing is known, or the signs contradict each other', async () => {
      const stranger = await ownerWithProject(app);
      const mine = subscription();
      await deliver(changed(mine, NOW)).expect(200);
      const before = [await stored(), await stored(stranger.organizationId)];
      const unmatched = [
        provider.subscription(),
        provider.subscription({ metadata: scope('0199f3a1-0000-7000-8000-000000000000') }),
        provider.subscription({ metadata: { billing_scope: 'organization', organization_id: 'not an id' } }),
        provider.subscription({
          metadata: { billing_scope: 'pre_workspace', user_id: '0199f3a1-0000-7000-8000-000000000000' },
        }),
        provider.subscription({ metadata: scope(stranger.organizationId), customer: mine.customer }),
        { ...mine, metadata: scope(stranger.organizationId) },
      ];
      for (const object of unmatched) {
        const event = changed(object, NOW + 10);
        await deliver(event).expect(200, { ok: true, ignored: true });
        expect((await storedEvent(event.id))?.outcome).toBe('unmatched');
      }
      expect([await stored(), await stored(stranger.organizationId)]).toEqual(before);
    });
  });

  it('of a checkout that names two owners change nobody', async () => {
    const stranger = await ownerWithProject(app);
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
    const before = [await stored(), await stored(stranger.organizationId)];
    for (const event of [
      completed({ client_reference_id: stranger.organizationId }),
      completed({ metadata: scope(stranger.organizationId) }),
      completed({ metadata: { billing_scope: 'pre_workspace', user_id: owner.id }, client_reference_id: stranger.id }),
    ])
      await deliver(event).expect(200, { ok: true, ignored: true });
    expect([await stored(), await stored(stranger.organizationId)]).toEqual(before);
    // What is nobody's name, or that of the person who paid, says nothing about the organization.
    for (const reference of ['order 17', owner.id, '0199f3a1-0000-7000-8000-000000000000', owner.organizationId])
      await deliver(completed({ client_reference_id: reference })).expect(200, { ok: true });
    expect(await stored()).toMatchObject({ plan: 'pro', payment_subscription_id: object.id });
  });

  it('of an older subscription do not end the newer one', async () => {
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

  it.each(['blocked', 'suspended'])('do not lift what the platform has %s', async (hold) => {
    const object = subscription();
    await app.rows('UPDATE organizations SET billing_status = $2 WHERE id = $1', [owner.organizationId, hold]);
    await deliver(changed(object, NOW)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'pro', billing_status: hold });
    await deliver(provider.event('customer.subscription.deleted', object, { created: NOW + 1 })).expect(200);
    expect(await stored()).toMatchObject({ billing_status: 'canceled' });
    await deliver(changed(subscription({ created: NOW + 2 }), NOW + 2)).expect(200);
    expect(await stored()).toMatchObject({ billing_status: hold });
  });

  it('keep a plan that the platform has set until the subscription gets another one', async () => {
    const object = subscription();
    await deliver(changed(object, NOW)).expect(200);
    await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [owner.organizationId]);
    await deliver(changed({ ...object, status: 'past_due' }, NOW + 1)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'enterprise', billing_status: 'past_due' });
    await deliver(changed({ ...object, items: { data: [{ price: provider.prices.scale }] } }, NOW + 2)).expect(200);
    expect(await stored()).toMatchObject({ plan: 'scale' });
  });

  it('change at once what the organization may have, and what exists stays after a downgrade', async () => {
    const newProject = (slug: string) =>
      app
        .request()
        .post('/v1/projects')
        .set('Authorization', owner.bearer)
        .send({ organization_id: owner.organizationId, name: slug, slug });
    const newOrganization = () =>
      app
        .request()
        .post('/v1/organizations')
        .set('Authorization', owner.bearer)
        .send({ name: 'More', slug: randomBytes(6).toString('hex') });
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
      app
        .request()
        .post('/v1/ingest-sources')
        .set('Authorization', owner.bearer)
        .send({ project_id: owner.projectId, name, type: 'http' });
    const count = async (path: string): Promise<number> => {
      const { body } = await app.request().get(path).set('Authorization', owner.bearer).expect(200);
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
    expect(await count(`/v1/ingest-sources?project_id=${owner.projectId}`)).toBe(4);
  });

  it('are seen by the next event that is ingested', async () => {
    const ingest = () =>
      app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey).send({ event_type: 'x', source: 's' });
    await app.rows(
      `INSERT INTO organization_months (organization_id, month, events)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 10000)
       ON CONFLICT (organization_id, month) DO UPDATE SET events = excluded.events`,
      [owner.organizationId],
    );
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

  it('are neither limited nor metered, whatever key comes along', async () => {
    for (let count = 0; count < 3; count += 1) {
      const payload = JSON.stringify(provider.event('invoice.paid', {}));
      const answer = await send(payload, { 'Provider-Signature': provider.sign(payload), 'X-API-Key': owner.apiKey });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    }
    // Counted after the events, so once it is written they would be too.
    await app.request().get('/v1/billing/status').set('X-API-Key', owner.apiKey).expect(200);
    const metered = async (): Promise<number> =>
      (
        await app.rows<{ requests: number }>(
          'SELECT coalesce(sum(requests), 0)::int AS requests FROM usage_daily WHERE project_id = $1',
          [owner.projectId],
        )
      )[0]?.requests ?? 0;
    while ((await metered()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await metered()).toBe(1);
  });

  it('need no checkout to be on, but both secrets', async () => {
    const part = await createTestApp({
      databaseUrl: app.databaseUrl,
      env: { ...provider.env, ENABLE_PAYMENT_BILLING: '', PAYMENT_WEBHOOK_SECRET: '' },
    });
    const payload = JSON.stringify(provider.event('invoice.paid', {}));
    const headers = { 'Provider-Signature': provider.sign(payload) };
    await part
      .request()
      .post('/v1/stripe/webhook')
      .set(headers)
      .send(payload)
      .expect(500, { detail: 'Payment provider is not configured' });
    expect(part.logLines.join('\n')).toContain('PAYMENT_WEBHOOK_SECRET is not set');
    await part.close();
  });
});
