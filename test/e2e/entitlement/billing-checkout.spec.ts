import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { deliver } from '../../support/payment-events.js';
import type { Misbehaviour } from '../../support/payment-provider.js';
import { type Payments, startPayments } from '../../support/payments.js';
import { logText } from '../../support/service-log.js';
import { type Account, api, job, PASSWORD, type Tenant, tenant } from '../../support/service.js';
import { openTransactionsEnded, organizationBilling } from '../../support/sql-builders/billing-checkout.js';
import { setPaymentCustomer } from '../../support/sql-builders/sign-in.js';

interface Checkout {
  organization_id: string;
  plan: string;
  checkout_session_id: string;
  checkout_url: string;
}

describe('the billing of an organization', () => {
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

  const post = (path: string, body: object, account: Account = acme.owner) => api.as(account).post(path, body);
  const checkout = (body: object = {}, account?: Account) =>
    post('/v1/billing/checkout-session', { organization_id: acme.organizationId, plan: 'pro', ...body }, account);
  const portal = (body: object = {}, account?: Account) =>
    post('/v1/billing/portal', { organization_id: acme.organizationId, ...body }, account);
  const begun = async (): Promise<string> => ((await checkout().expect(200)).body as Checkout).checkout_session_id;
  const report = (type: string, object: object) => deliver(provider, provider.event(type, object)).expect(200);
  const stored = () => organizationBilling(acme.organizationId);

  it('begins a subscription at the price of the plan, for the customer of the organization', async () => {
    const { body } = (await checkout().expect(200)) as { body: Checkout };
    const session = provider.sessions.get(body.checkout_session_id);
    expect(body).toEqual({
      organization_id: acme.organizationId,
      plan: 'pro',
      checkout_session_id: session?.id,
      checkout_url: session?.url,
    });
    const [made] = provider.asked('POST', /customers$/);
    expect(made?.form).toEqual({ name: 'Acme', 'metadata[organization_id]': acme.organizationId });
    const customer = (await stored()).payment_customer_id;
    const [asked] = provider.asked('POST', /checkout/);
    const metadata = { billing_scope: 'organization', organization_id: acme.organizationId, plan: 'pro' };
    expect(asked?.form).toEqual({
      mode: 'subscription',
      customer,
      client_reference_id: acme.organizationId,
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

  it.each(['active', 'trialing', 'past_due'])(
    'sells no second subscription while one is %s, and counts a second one that was sold before',
    async (status) => {
      const first = await begun();
      const second = await begun();
      const subscription = provider.pay(first, { status });
      await report('customer.subscription.updated', subscription);
      const made = provider.asked('POST', /checkout/).length;
      await checkout().expect(409, { detail: 'Subscription already active' });
      expect(provider.asked('POST', /checkout/)).toHaveLength(made);
      await portal().expect(200);
      const other = provider.pay(second);
      await report('customer.subscription.updated', other);
      const parts = ['several subscriptions of one holder are paid for', subscription.id, other.id];
      const warnings = (await logText()).split('\n').filter((line) => parts.every((part) => line.includes(part)));
      expect(warnings).not.toEqual([]);
      await report('customer.subscription.deleted', { ...subscription, status: 'canceled' });
      await checkout().expect(409);
    },
  );

  it('sells another subscription when the one before is over', async () => {
    const subscription = provider.pay(await begun());
    await report('customer.subscription.updated', subscription);
    await checkout().expect(409);
    await report('customer.subscription.deleted', { ...subscription, status: 'canceled' });
    await checkout().expect(200);
  });

  it('uses one customer, and makes another one when the provider has lost it', async () => {
    await checkout().expect(200);
    const first = String((await stored()).payment_customer_id);
    await checkout().expect(200);
    await portal().expect(200);
    expect(provider.asked('POST', /customers$/)).toHaveLength(1);

    provider.customers.set(first, { id: first, object: 'customer', deleted: true });
    await checkout().expect(200);
    const second = String((await stored()).payment_customer_id);
    expect(second).not.toBe(first);

    provider.customers.delete(second);
    const { body } = await portal().expect(200);
    const third = String((await stored()).payment_customer_id);
    expect(third).not.toBe(second);
    expect(body).toEqual({ url: `https://portal.example.com/${third}` });
    expect(new Set(provider.asked('POST', /customers$/).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  });

  it.each([false, true])('makes one customer for parallel requests (idempotency key in use: %s)', async (contended) => {
    provider.contended = contended;
    const size = provider.customers.size;
    const answers = await Promise.all([checkout(), checkout(), portal(), checkout({ plan: 'scale' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(provider.customers.size).toBe(size + 1);
    const customers = provider.asked('POST', /sessions$/).map(({ form }) => form.customer);
    expect(new Set(customers)).toEqual(new Set([(await stored()).payment_customer_id]));
    expect(customers).toHaveLength(4);
  });

  it('keeps the customer that is stored first', async () => {
    const other = `cus_other_${acme.organizationId}`;
    provider.before.set('/v1/customers', () => setPaymentCustomer(acme.organizationId, other));
    provider.customers.set(other, { id: other, object: 'customer' });
    await checkout().expect(200);
    expect(provider.asked('POST', /checkout/)[0]?.form.customer).toBe(other);
    expect((await stored()).payment_customer_id).toBe(other);
  });

  it.each([
    ['without a customer', null],
    ['whose customer the provider no longer has', 'cus_gone'],
  ])('has the new customer removed when an organization %s is deleted while it is made', async (_, before) => {
    const replaced = before === null ? null : `${before}_${acme.organizationId}`;
    if (replaced !== null) await setPaymentCustomer(acme.organizationId, replaced);
    provider.before.set('/v1/customers', async () => {
      // The removal is a request to the same path.
      provider.before.clear();
      await post('/v1/account/delete', { current_password: PASSWORD, delete_organizations: true }).expect(200);
    });
    const known = new Set(provider.customers.keys());
    await checkout().expect(404, { detail: 'Organization not found' });
    const [made = ''] = [...provider.customers.keys()].filter((id) => !known.has(id));
    await eventually(
      async () => {
        await job('maintenance');
        return provider.customers.get(made);
      },
      (customer) => customer?.deleted === true,
    );
    const removed = provider.asked('DELETE', /./).map((request) => request.path);
    expect(new Set(removed.filter((path) => path !== `/v1/customers/${replaced}`))).toEqual(
      new Set([`/v1/customers/${made}`]),
    );
    expect(provider.asked('POST', /checkout/)).toEqual([]);
  });

  it('opens the portal with a customer made for it, and leads back to the address that was asked for', async () => {
    const { body } = (await portal().expect(200)) as { body: { url: string } };
    const customer = String((await stored()).payment_customer_id);
    expect(body).toEqual({ url: `https://portal.example.com/${customer}` });
    await portal({ return_url: 'https://elsewhere.example.com/x' }).expect(200);
    await portal({ return_url: null }).expect(200);
    expect(provider.asked('POST', /billing_portal/).map(({ form }) => form)).toEqual(
      ['https://app.example.com/billing', 'https://elsewhere.example.com/x', 'https://app.example.com/billing'].map(
        (return_url) => ({ customer, return_url }),
      ),
    );
  });

  it('returns 422 to a plan that is not sold, an unknown currency and a wrong address, and calls no provider', async () => {
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

  it('is open to the owner and to admins, and to nobody else', async () => {
    const globex = await tenant();
    const admin = await acme.admin();
    const operator = await acme.operator();
    for (const call of [checkout, portal]) {
      await call({}, admin).expect(200);
      await call({}, operator).expect(403, { detail: 'Admin role required' });
      await call({}, globex.owner).expect(403, { detail: 'Not an organization member' });
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
  ])(
    'returns 502 when the provider gives %s at %s, leaves no transaction open, and succeeds next time',
    async (misbehaviour, path) => {
      provider.misbehaving.set(path, misbehaviour);
      const call = path === '/v1/billing_portal' ? portal : checkout;
      await call().expect(502, { detail: 'Payment provider request failed' });
      expect(await stored()).toMatchObject({ plan: 'free', billing_status: 'active', payment_subscription_id: null });
      provider.misbehaving.clear();
      await call().expect(200);
      await openTransactionsEnded();
    },
  );

  it('writes to the log that the provider failed, and none of its secrets', async () => {
    provider.misbehaving.set('/v1/customers', 'refusal');
    const requestId = randomUUID();
    await checkout().set('X-Request-ID', requestId).expect(502);
    const log = await logText();
    const lines = log.split('\n').filter((line) => line.includes(requestId));
    expect(lines.join('\n')).toContain('payment provider: new customer');
    for (const secret of [provider.secretKey, provider.webhookSecret]) expect(log).not.toContain(secret);
  });
});
