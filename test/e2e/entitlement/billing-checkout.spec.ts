import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PaymentProvider } from '../../../src/modules/entitlement/billing/index.js';
import type { Deadline } from '../../../src/platform/concurrency/index.js';
import { addMember, type Owner, ownerWithProject, PASSWORD } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Misbehaviour, PaymentStandIn } from '../../support/payment-provider.js';

interface Checkout {
  organization_id: string;
  plan: string;
  checkout_session_id: string;
  checkout_url: string;
}

describe('checkout and portal of an organization', () => {
  let app: TestApp;
  let provider: PaymentStandIn;
  let owner: Owner;

  beforeAll(async () => {
    provider = await PaymentStandIn.start();
    app = await createTestApp({ env: provider.env });
  });
  beforeEach(async () => {
    provider.reset();
    owner = await ownerWithProject(app);
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const post = (path: string, body: object, bearer = owner.bearer) =>
    app.request().post(path).set('Authorization', bearer).send(body);
  const checkout = (body: object = {}, bearer = owner.bearer) =>
    post('/v1/billing/checkout-session', { organization_id: owner.organizationId, plan: 'pro', ...body }, bearer);
  const portal = (body: object = {}, bearer = owner.bearer) =>
    post('/v1/billing/portal', { organization_id: owner.organizationId, ...body }, bearer);
  const deliver = async (type: string, object: object): Promise<void> => {
    const payload = JSON.stringify(provider.event(type, object));
    const request = app.request().post('/v1/stripe/webhook').set('Provider-Signature', provider.sign(payload));
    await request.send(payload).expect(200);
  };
  const stored = async () =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [owner.organizationId]))[0];

  /** Of any connection of the service that has waited inside a transaction for so long. */
  const openTransactions = (seconds: number) =>
    app.rows(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
       AND state_change <= now() - make_interval(secs => $1)`,
      [seconds],
    );

  it('begins a subscription at the price of the plan, for the organization’s customer', async () => {
    const { body } = (await checkout().expect(200)) as { body: Checkout };
    const session = provider.sessions.get(body.checkout_session_id);
    expect(body).toEqual({
      organization_id: owner.organizationId,
      plan: 'pro',
      checkout_session_id: session?.id,
      checkout_url: session?.url,
    });
    const [made] = provider.asked('POST', /customers$/);
    expect(made?.form).toEqual({ name: 'Acme', 'metadata[organization_id]': owner.organizationId });
    const customer = (await stored())?.payment_customer_id;
    const [asked] = provider.asked('POST', /checkout/);
    const metadata = { billing_scope: 'organization', organization_id: owner.organizationId, plan: 'pro' };
    expect(asked?.form).toEqual({
      mode: 'subscription',
      customer,
      client_reference_id: owner.organizationId,
      'line_items[0][price]': provider.prices.pro,
      'line_items[0][quantity]': '1',
      success_url: 'https://app.example.com/paid?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://app.example.com/plans',
      ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value])),
      ...Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [`subscription_data[metadata][${name}]`, value]),
      ),
    });
    expect(provider.requests.flatMap(({ faults }) => faults)).toEqual([]);
    expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active', payment_subscription_id: null });
    expect(JSON.stringify(body)).not.toContain('price_');
  });

  it.each([
    ['pro', 'usd', 'pro'],
    ['pro', null, 'pro'],
    ['pro', 'eur', 'proEur'],
    ['scale', 'eur', 'scale'],
    ['enterprise', undefined, 'enterprise'],
  ] as const)('sells %s in %s at the price configured for it', async (plan, currency, price) => {
    await checkout({ plan, currency }).expect(200);
    expect(provider.asked('POST', /checkout/)[0]?.form['line_items[0][price]']).toBe(provider.prices[price]);
  });

  it.each(['active', 'trialing', 'past_due'])('sells no second subscription beside one that is %s', async (status) => {
    const { body } = (await checkout().expect(200)) as { body: Checkout };
    const second = ((await checkout().expect(200)).body as Checkout).checkout_session_id;
    const subscription = provider.pay(body.checkout_session_id, { status });
    await deliver('customer.subscription.updated', subscription);
    const made = provider.asked('POST', /checkout/).length;
    await checkout().expect(409, { detail: 'Subscription already active' });
    expect(provider.asked('POST', /checkout/)).toHaveLength(made);
    await portal().expect(200);
    // One that was open before can still be paid: it counts, and the log warns.
    await deliver('customer.subscription.updated', provider.pay(second));
    expect(app.logLines.join('')).toContain('several subscriptions of one holder are paid for');
    await deliver('customer.subscription.deleted', { ...subscription, status: 'canceled' });
    await checkout().expect(409);
  });

  it('sells another subscription once the one before is over', async () => {
    const { body } = (await checkout().expect(200)) as { body: Checkout };
    const subscription = provider.pay(body.checkout_session_id);
    await deliver('customer.subscription.updated', subscription);
    await checkout().expect(409);
    await deliver('customer.subscription.deleted', { ...subscription, status: 'canceled' });
    await checkout().expect(200);
  });

  it('uses the customer again, and makes another one when the provider has lost it', async () => {
    await checkout().expect(200);
    const first = String((await stored())?.payment_customer_id);
    await checkout().expect(200);
    await portal().expect(200);
    expect(provider.asked('POST', /customers$/)).toHaveLength(1);

    provider.customers.set(first, { id: first, object: 'customer', deleted: true });
    await checkout().expect(200);
    const second = String((await stored())?.payment_customer_id);
    expect(second).not.toBe(first);

    provider.customers.delete(second);
    const { body } = await portal().expect(200);
    const third = String((await stored())?.payment_customer_id);
    expect(third).not.toBe(second);
    expect(body).toEqual({ url: `https://portal.example.com/${third}` });
    expect(new Set(provider.asked('POST', /customers$/).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  });

  it.each([false, true])('makes one customer for parallel checkouts (key in use: %s)', async (contended) => {
    provider.contended = contended;
    const size = provider.customers.size;
    const answers = await Promise.all([checkout(), checkout(), portal(), checkout({ plan: 'scale' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(provider.customers.size).toBe(size + 1);
    const customers = provider.asked('POST', /sessions$/).map(({ form }) => form.customer);
    expect(new Set(customers)).toEqual(new Set([(await stored())?.payment_customer_id]));
    expect(customers).toHaveLength(4);
  });

  it('keeps the customer of whoever stores one first', async () => {
    provider.before.set('/v1/customers', async () => {
      await app.rows('UPDATE organizations SET payment_customer_id = $2 WHERE id = $1', [owner.organizationId, other]);
    });
    const other = `cus_other_${owner.organizationId}`;
    provider.customers.set(other, { id: other, object: 'customer' });
    await checkout().expect(200);
    expect(provider.asked('POST', /checkout/)[0]?.form.customer).toBe(other);
    expect((await stored())?.payment_customer_id).toBe(other);
  });

  it('has the customer removed whose organization is deleted while it is made', async () => {
    provider.before.set('/v1/customers', async () => {
      await post('/v1/account/delete', { current_password: PASSWORD, delete_organizations: true }).expect(200);
    });
    const known = new Set(provider.customers.keys());
    await checkout().expect(404, { detail: 'Organization not found' });
    const [made] = [...provider.customers.keys()].filter((id) => !known.has(id));
    expect(await app.rows('SELECT customer_id FROM payment_customer_removals')).toEqual([{ customer_id: made }]);
    expect(provider.asked('POST', /checkout/)).toEqual([]);
  });

  it('opens the portal, with a customer made for it, and leads back where it was asked to', async () => {
    const { body } = (await portal().expect(200)) as { body: { url: string } };
    const customer = String((await stored())?.payment_customer_id);
    expect(body).toEqual({ url: `https://portal.example.com/${customer}` });
    await portal({ return_url: 'https://elsewhere.example.com/x' }).expect(200);
    await portal({ return_url: null }).expect(200);
    expect(provider.asked('POST', /billing_portal/).map(({ form }) => form)).toEqual(
      ['https://app.example.com/billing', 'https://elsewhere.example.com/x', 'https://app.example.com/billing'].map(
        (return_url) => ({ customer, return_url }),
      ),
    );
  });

  it('refuses what is no paid plan, no currency and no URL with 422', async () => {
    const rows = async (request: Promise<{ body: unknown }>) =>
      ((await request).body as { detail: { type: string; loc: string[] }[] }).detail.map(({ type, loc }) => [
        type,
        ...loc,
      ]);
    expect(await rows(checkout({ plan: 'free' }).expect(422))).toEqual([['value_error', 'body', 'plan']]);
    expect(await rows(checkout({ plan: 'business' }).expect(422))).toEqual([['literal_error', 'body', 'plan']]);
    expect(await rows(checkout({ plan: undefined }).expect(422))).toEqual([['missing', 'body', 'plan']]);
    expect(await rows(checkout({ currency: 'gbp' }).expect(422))).toEqual([['literal_error', 'body', 'currency']]);
    expect(await rows(portal({ return_url: 'nowhere' }).expect(422))).toEqual([['url_parsing', 'body', 'return_url']]);
    expect(await rows(portal({ return_url: 'javascript:alert(1)' }).expect(422))).toEqual([
      ['url_scheme', 'body', 'return_url'],
    ]);
    expect(provider.requests).toEqual([]);
  });

  it('is for admins and the owner', async () => {
    const stranger = await ownerWithProject(app);
    for (const call of [checkout, portal]) {
      await call({}, (await addMember(app, owner, 'admin')).bearer).expect(200);
      await call({}, (await addMember(app, owner, 'operator')).bearer).expect(403, { detail: 'Admin role required' });
      await call({}, stranger.bearer).expect(403, { detail: 'Not an organization member' });
      await call({ organization_id: '0199f3a1-0000-7000-8000-000000000000' }).expect(404, {
        detail: 'Organization not found',
      });
      await call({ organization_id: 'x' }).expect(422);
    }
  });

  it.each<[Misbehaviour, string]>([
    ['error', '/v1/customers'],
    ['refusal', '/v1/customers'],
    ['reset', '/v1/customers'],
    ['garbage', '/v1/customers'],
    ['incomplete', '/v1/customers'],
    ['refusal', '/v1/checkout'],
    ['incomplete', '/v1/checkout'],
    ['refusal', '/v1/billing_portal'],
    ['incomplete', '/v1/billing_portal'],
  ])('answers 502 to a provider that gives %s at %s, and the next try works', async (misbehaviour, path) => {
    provider.misbehaving.set(path, misbehaviour);
    const call = path === '/v1/billing_portal' ? portal : checkout;
    await call().expect(502, { detail: 'Payment provider request failed' });
    expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active', payment_subscription_id: null });
    provider.misbehaving.clear();
    await call().expect(200);
    // Somebody else's may be seen between two statements; one that was left open would stay.
    while ((await openTransactions(0)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it.each<[Misbehaviour]>([['hang'], ['drip']])(
    'answers 502 within 10 seconds when the provider answers by %s, and holds no transaction meanwhile',
    async (misbehaviour) => {
      provider.misbehaving.set('/v1/customers', misbehaviour);
      const acts = jest.spyOn(app.nest.get(PaymentProvider), 'begin');
      const held: unknown[] = [];
      const answered = new AbortController();
      const watching = (async () => {
        while (!answered.signal.aborted) {
          held.push(...(await openTransactions(2)));
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })();
      const answer = await checkout();
      answered.abort();
      await watching;
      expect([answer.status, answer.body]).toEqual([502, { detail: 'Payment provider request failed' }]);
      const deadlines = acts.mock.results.map(({ value }) => value as Deadline);
      acts.mockRestore();
      expect(deadlines.map(({ milliseconds }) => milliseconds < 10_000)).toEqual([true]);
      expect(held).toEqual([]);
      expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect((await stored())?.payment_customer_id).toBeNull();
    },
  );

  it('never shows or logs the secrets', () => {
    const log = app.logLines.join('\n');
    expect(log).toContain('payment provider: new customer');
    for (const secret of [provider.secretKey, provider.webhookSecret]) expect(log).not.toContain(secret);
  });
});

describe('billing that is off or not configured', () => {
  let provider: PaymentStandIn;

  beforeAll(async () => {
    provider = await PaymentStandIn.start();
  });
  afterAll(() => provider.close());

  async function withEnv(
    env: Record<string, string>,
    work: (app: TestApp, owner: Owner) => Promise<void>,
  ): Promise<void> {
    const app = await createTestApp({ env });
    try {
      await work(app, await ownerWithProject(app));
    } finally {
      await app.close();
    }
  }

  const off = { detail: 'Payment provider is not configured' };
  const send = (app: TestApp, owner: Owner, path: string, body: object = {}) =>
    app
      .request()
      .post(path)
      .set('Authorization', owner.bearer)
      .send({ organization_id: owner.organizationId, plan: 'pro', ...body });

  it('is the default: 500 for everything of the provider, and the log says why', async () => {
    await withEnv({}, async (app, owner) => {
      await send(app, owner, '/v1/billing/checkout-session').expect(500, off);
      await send(app, owner, '/v1/billing/portal').expect(500, off);
      await app.request().post('/v1/stripe/webhook').set('Provider-Signature', 't=1,v1=0').send('{}').expect(500, off);
      await app.request().post('/v1/stripe/webhook').send('{}').expect(500, off);
      await send(app, owner, '/v1/billing/checkout-session', { plan: 'free' }).expect(422);
      await app.rows(`UPDATE organizations SET payment_subscription_status = 'active' WHERE id = $1`, [
        owner.organizationId,
      ]);
      // What stands against it is said first, as by the checkout before there is an organization.
      await send(app, owner, '/v1/billing/checkout-session').expect(409, { detail: 'Subscription already active' });
      const log = app.logLines.join('\n');
      expect(log).toContain('ENABLE_PAYMENT_BILLING is not true');
      expect(log).toContain('ENABLE_PAYMENT_WEBHOOKS is not true');
    });
  });

  it.each([
    ['PAYMENT_SECRET_KEY', '', 'checkout-session', 'PAYMENT_SECRET_KEY is not set'],
    ['PAYMENT_SECRET_KEY', 'sk_test_of\nnobody', 'portal', 'PAYMENT_SECRET_KEY is not a key'],
    ['PAYMENT_PRICE_ID_PRO', '', 'checkout-session', 'PAYMENT_PRICE_ID_PRO is not set'],
    ['PAYMENT_SUCCESS_URL', 'app.example.com', 'checkout-session', 'PAYMENT_SUCCESS_URL is not a URL'],
    ['PAYMENT_CANCEL_URL', '', 'checkout-session', 'PAYMENT_CANCEL_URL is not set'],
    ['PAYMENT_PORTAL_RETURN_URL', '', 'portal', 'PAYMENT_PORTAL_RETURN_URL is not set'],
    ['PAYMENT_API_BASE', 'provider:443', 'portal', 'PAYMENT_API_BASE is not the origin of an API'],
  ])('asks nobody when %s is %j, and tells it in the log alone', async (name, value, act, reason) => {
    await withEnv({ ...provider.env, [name]: value }, async (app, owner) => {
      provider.reset();
      await send(app, owner, `/v1/billing/${act}`).expect(500, off);
      const log = app.logLines.join('\n');
      expect(log).toContain(reason);
      expect(log).not.toContain('sk_test_of');
      expect(provider.requests).toEqual([]);
    });
  });

  it('sells in euro at the one price of the plan when it has no other', async () => {
    await withEnv({ ...provider.env, PAYMENT_PRICE_ID_PRO_EUR: '' }, async (app, owner) => {
      provider.reset();
      await send(app, owner, '/v1/billing/checkout-session', { currency: 'eur' }).expect(200);
      expect(provider.asked('POST', /checkout/)[0]?.form['line_items[0][price]']).toBe(provider.prices.pro);
    });
  });

  it('answers 502 when the provider refuses the key', async () => {
    await withEnv({ ...provider.env, PAYMENT_SECRET_KEY: 'sk_test_wrong' }, async (app, owner) => {
      await send(app, owner, '/v1/billing/portal').expect(502, { detail: 'Payment provider request failed' });
      expect(app.logLines.join('\n')).not.toContain('sk_test_');
    });
  });
});
