import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deliver } from '../../support/payment-events.js';
import { type Payments, startPayments } from '../../support/payments.js';
import { type Account, account, api, PASSWORD, tenant } from '../../support/service.js';
import {
  organizationBilling,
  pendingBilling,
  storedOfSubscription,
} from '../../support/sql-builders/billing-checkout.js';

const URLS = {
  success_url: 'https://app.example.com/in?s={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://localhost:3000/out',
};

describe('a payment before the first organization', () => {
  let provider: Payments;
  let person: Account;
  /** In Unix seconds, when the test begins. */
  let now: number;

  beforeAll(async () => {
    provider = await startPayments();
  });
  beforeEach(async () => {
    provider.reset();
    now = Math.floor(Date.now() / 1000);
    person = await newPerson();
  });

  async function newPerson(): Promise<Account> {
    const signedIn = await account();
    await provider.serves(signedIn);
    return signedIn;
  }

  const post = (path: string, body: object, who: Account = person) => api.as(who).post(path, body);
  const checkout = (body: object = {}, who?: Account) =>
    post('/v1/billing/account/checkout-session', { plan: 'pro', ...URLS, ...body }, who);
  const sync = (id: string, who?: Account) =>
    post('/v1/billing/account/checkout-session/sync', { checkout_session_id: id }, who);
  const begun = async (body: object = {}): Promise<string> =>
    ((await checkout(body).expect(200)).body as { checkout_session_id: string }).checkout_session_id;
  const user = ({ id }: Account = person) => pendingBilling(id);
  const pendingPlan = async () =>
    ((await api.as(person).get('/v1/auth/me').expect(200)).body as { pending_plan: unknown }).pending_plan;
  const newOrganization = () => post('/v1/organizations', { name: 'First', slug: randomBytes(6).toString('hex') });
  const created = async (): Promise<string> => ((await newOrganization().expect(201)).body as { id: string }).id;
  const organizations = async (): Promise<string[]> =>
    ((await api.as(person).get('/v1/organizations').expect(200)).body as { id: string }[]).map(({ id }) => id);
  const report = (type: string, object: object, at = now) =>
    deliver(provider, provider.event(type, object, { created: at }));

  it('begins with a checkout for the person', async () => {
    const { body } = (await checkout({ currency: 'eur' }).expect(200)) as { body: Record<string, string> };
    const session = provider.sessions.get(body.checkout_session_id ?? '');
    expect(body).toEqual({ plan: 'pro', checkout_session_id: session?.id, checkout_url: session?.url });
    const customer = String((await user()).pending_customer_id);
    expect(provider.customers.get(customer)).toMatchObject({ email: person.email, metadata: { user_id: person.id } });
    expect(provider.asked('POST', /checkout/)[0]?.form).toEqual({
      mode: 'subscription',
      customer,
      client_reference_id: person.id,
      'line_items[0][price]': provider.prices.proEur,
      'line_items[0][quantity]': '1',
      success_url: URLS.success_url,
      cancel_url: URLS.cancel_url,
      'metadata[billing_scope]': 'pre_workspace',
      'metadata[user_id]': person.id,
      'metadata[plan]': 'pro',
      'subscription_data[metadata][billing_scope]': 'pre_workspace',
      'subscription_data[metadata][user_id]': person.id,
      'subscription_data[metadata][plan]': 'pro',
    });
    expect(provider.requests.flatMap(({ faults }) => faults)).toEqual([]);
    expect(await pendingPlan()).toBeNull();
  });

  it('uses one customer for parallel checkouts, and another one when the provider has lost it', async () => {
    await Promise.all([checkout().expect(200), checkout().expect(200), checkout({ plan: 'scale' }).expect(200)]);
    const customers = new Set(provider.asked('POST', /checkout/).map(({ form }) => form.customer));
    const first = String((await user()).pending_customer_id);
    expect(customers).toEqual(new Set([first]));
    provider.customers.set(first, { id: first, deleted: true });
    await checkout().expect(200);
    expect((await user()).pending_customer_id).not.toBe(first);
  });

  it('is stored and shown when it is complete, and then belongs to the first organization for good', async () => {
    const session = await begun({ plan: 'scale' });
    await sync(session).expect(409, { detail: 'Checkout session is not complete yet' });
    expect(await pendingPlan()).toBeNull();
    const subscription = provider.pay(session, { price: provider.prices.scale });
    const answer = {
      plan: 'scale',
      checkout_session_id: session,
      ready_for_workspace: true,
      stripe_customer_id: subscription.customer,
      stripe_subscription_id: subscription.id,
      stripe_subscription_status: 'active',
    };
    await sync(session).expect(200, answer);
    await sync(session).expect(200, answer);
    expect(await pendingPlan()).toBe('scale');
    expect(await user()).toMatchObject({
      pending_plan: 'scale',
      pending_billing_status: 'active',
      pending_customer_id: subscription.customer,
      pending_subscription_id: subscription.id,
      pending_subscription_status: 'active',
      pending_price_id: provider.prices.scale,
    });

    await checkout().expect(409, { detail: 'Subscription already active' });

    const id = await created();
    expect(await organizationBilling(id)).toMatchObject({
      plan: 'scale',
      billing_status: 'active',
      payment_customer_id: subscription.customer,
      payment_subscription_id: subscription.id,
      payment_subscription_status: 'active',
      payment_price_id: provider.prices.scale,
    });
    expect(await pendingPlan()).toBeNull();
    expect(await user()).toMatchObject({
      pending_billing_status: null,
      pending_customer_id: null,
      pending_subscription_id: null,
      pending_subscription_status: null,
      pending_price_id: null,
    });
    // The plan allows a second organization, which takes nothing over.
    expect(await organizationBilling(await created())).toMatchObject({ plan: 'free', payment_customer_id: null });

    const workspace = { detail: 'Pre-checkout is only available before creating your first workspace' };
    await sync(session).expect(409, workspace);
    await checkout().expect(409, workspace);

    // The metadata of the subscription still names the person, but its events belong to the organization now.
    await report('customer.subscription.updated', { ...subscription, status: 'past_due' }, now + 3_600).expect(200, {
      ok: true,
    });
    expect(await organizationBilling(id)).toMatchObject({ billing_status: 'past_due' });
    await report('customer.subscription.deleted', subscription, now + 3_610).expect(200, { ok: true });
    expect(await organizationBilling(id)).toMatchObject({ plan: 'scale', billing_status: 'canceled' });
    expect(await pendingPlan()).toBeNull();
  });

  it('is claimed once when organizations are made in parallel', async () => {
    const session = await begun({ plan: 'scale' });
    provider.pay(session, { price: provider.prices.scale });
    await sync(session).expect(200);
    const answers = await Promise.all(Array.from({ length: 5 }, () => newOrganization()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const billing = await Promise.all((await organizations()).map((id) => organizationBilling(id)));
    expect(billing.map(({ plan }) => plan).sort()).toEqual(['free', 'free', 'free', 'free', 'scale']);
  });

  it('is not lost when the organization, the sync and the events race', async () => {
    for (let round = 0; round < 8; round += 1) {
      person = await newPerson();
      const session = await begun();
      const subscription = provider.pay(session);
      const answers = await Promise.all([
        newOrganization(),
        sync(session),
        report('customer.subscription.created', { ...subscription, status: 'incomplete' }),
        report('customer.subscription.updated', subscription, now + 1),
        report('checkout.session.completed', provider.sessions.get(session) ?? {}, now + 1),
      ]);
      expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
      const [id = ''] = await organizations();
      expect(await organizationBilling(id)).toMatchObject({
        plan: 'pro',
        billing_status: 'active',
        payment_subscription_id: subscription.id,
      });
      expect(await pendingPlan()).toBeNull();
    }
  });

  it('is stored by the events of the provider too, and forgotten when the subscription ends', async () => {
    const session = await begun();
    const subscription = provider.pay(session);
    await report('customer.subscription.created', subscription).expect(200, { ok: true });
    expect(await pendingPlan()).toBe('pro');
    await report('customer.subscription.deleted', subscription, now + 1).expect(200, { ok: true });
    expect(await user()).toMatchObject({
      pending_plan: null,
      pending_billing_status: null,
      pending_subscription_id: null,
      pending_price_id: null,
    });
    expect(await organizationBilling(await created())).toMatchObject({ plan: 'free', billing_status: 'active' });
  });

  it('belongs to the organization that was made before the payment was reported', async () => {
    const session = await begun();
    const id = await created();
    const subscription = provider.pay(session);
    await report('checkout.session.completed', provider.sessions.get(session) ?? {}).expect(200, { ok: true });
    expect(await organizationBilling(id)).toMatchObject({ plan: 'pro', payment_subscription_id: subscription.id });
  });

  it('is not ready for an organization while the subscription is not paid for', async () => {
    const session = await begun();
    provider.pay(session, { status: 'incomplete' });
    const { body } = await sync(session).expect(200);
    expect(body).toMatchObject({ ready_for_workspace: false, stripe_subscription_status: 'incomplete' });
    expect(await user()).toMatchObject({ pending_plan: 'pro', pending_billing_status: 'inactive' });
  });

  it('has the plan of the checkout session when the session has no subscription', async () => {
    const session = await begun();
    Object.assign(provider.sessions.get(session) ?? {}, { status: 'complete', customer: null });
    await sync(session).expect(200, {
      plan: 'pro',
      checkout_session_id: session,
      ready_for_workspace: true,
      stripe_customer_id: null,
      stripe_subscription_id: null,
      stripe_subscription_status: null,
    });
    expect(await organizationBilling(await created())).toMatchObject({ plan: 'pro', billing_status: 'active' });
  });

  it('has the plan that was bought when its price is no longer configured', async () => {
    const session = await begun();
    provider.pay(session, { price: 'price_of_last_year' });
    expect((await sync(session).expect(200)).body).toMatchObject({ plan: 'pro' });
  });

  it('is refused with 400 when neither its price nor its checkout session names a plan', async () => {
    const session = await begun();
    provider.pay(session, { price: 'price_of_last_year', metadata: {} });
    Object.assign(provider.sessions.get(session) ?? {}, { metadata: {} });
    await sync(session).expect(400, { detail: 'Checkout session has no known plan' });
  });

  it('is not given to another person', async () => {
    const foreign = { detail: 'Checkout session does not belong to this user' };
    const thief = await newPerson();
    const session = await begun();
    const subscription = provider.pay(session);
    await sync(session, thief).expect(403, foreign);
    const state = provider.sessions.get(session) ?? {};
    Object.assign(state, { metadata: {} });
    await sync(session, thief).expect(403, foreign);
    Object.assign(state, { metadata: { user_id: person.id }, client_reference_id: null });
    await sync(session, thief).expect(403, foreign);
    Object.assign(state, { metadata: { user_id: person.id }, client_reference_id: thief.id });
    await sync(session, thief).expect(403, foreign);
    // Nothing names an owner, but the customer belongs to somebody.
    Object.assign(state, { metadata: { plan: 'pro' }, client_reference_id: null });
    await sync(session, thief).expect(403, foreign);
    await sync(session).expect(200);
    Object.assign(state, { customer: null });
    Object.assign(subscription, { customer: null });
    await sync(session, thief).expect(403, foreign);
    expect((await user(thief)).pending_plan).toBeNull();

    const acme = await tenant();
    await provider.serves(acme);
    const { body } = await post(
      '/v1/billing/checkout-session',
      { organization_id: acme.organizationId, plan: 'pro' },
      acme.owner,
    ).expect(200);
    const { checkout_session_id: ofOrganization } = body as { checkout_session_id: string };
    provider.pay(ofOrganization);
    await sync(ofOrganization, thief).expect(403, foreign);
  });

  it('is refused with 409 for the owner and for a member of an organization', async () => {
    const acme = await tenant();
    for (const who of [acme.owner, await acme.viewer()]) {
      const detail = 'Pre-checkout is only available before creating your first workspace';
      await checkout({}, who).expect(409, { detail });
      await sync('cs_1', who).expect(409, { detail });
    }
  });

  it('leads back to an address of any scheme except those that a browser runs or opens itself', async () => {
    for (const url of ['myapp://paid?s={CHECKOUT_SESSION_ID}', 'com.example.app:/paid', 'https://app.example.com/'])
      await checkout({ success_url: url, cancel_url: url.replace(/\{.*\}/, 'x') }).expect(200);
    for (const url of ['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc'])
      for (const member of ['success_url', 'cancel_url']) {
        const { body } = await checkout({ [member]: url }).expect(422);
        expect(body).toMatchObject({ detail: [{ type: 'url_scheme', loc: ['body', member] }] });
      }
    for (const url of [' javascript:x', 'java\tscript:x', '/paid', 'paid', 'https://', 'myapp:\n//x', null, 7])
      await checkout({ success_url: url }).expect(422);
  });

  it('gives the first organization no plan when it was never made', async () => {
    const session = await begun();
    const subscription = provider.pay(session, { status: 'incomplete' });
    await report('customer.subscription.created', subscription).expect(200, { ok: true });
    await sync(session).expect(200);
    const id = await created();
    expect(await organizationBilling(id)).toMatchObject({ plan: 'free', billing_status: 'active' });
    const expired = { ...subscription, status: 'incomplete_expired' };
    provider.subscriptions.set(subscription.id, expired);
    await report('customer.subscription.updated', expired, now + 3_600).expect(200, { ok: true });
    expect(await organizationBilling(id)).toMatchObject({ plan: 'free', billing_status: 'active' });
  });

  it('is refused with 422 for the free plan, a wrong address and a wrong length of the session id', async () => {
    await checkout({ plan: 'free' }).expect(422);
    await checkout({ success_url: '' }).expect(422);
    await checkout({ cancel_url: undefined }).expect(422);
    await sync('').expect(422);
    await sync('x'.repeat(256)).expect(422);
    expect(provider.requests).toEqual([]);
  });

  it('is refused with 404 for an unknown session, and sends the provider only what can be the id of a session', async () => {
    const { token } = provider;
    const possible = [`cs_${token}_unknown`, `${token}_`.padEnd(255, 'x')];
    // The provider sees requests for ids with its token.
    const impossible = [
      '..',
      `../${token}`,
      '../customers',
      `../customers/${token}`,
      `cs_${token}?expand=x`,
      `cs ${token}`,
    ];
    for (const id of [...possible, ...impossible]) await sync(id).expect(404, { detail: 'Checkout session not found' });
    expect(provider.requests.map(({ path }) => path)).toEqual(possible.map((id) => `/v1/checkout/sessions/${id}`));
  });

  it('leaves nothing behind when the provider fails, and succeeds next time', async () => {
    provider.misbehaving.set('/v1/customers', 'refusal');
    await checkout().expect(502, { detail: 'Payment provider request failed' });
    expect((await user()).pending_customer_id).toBeNull();
    provider.misbehaving.clear();
    const session = await begun();
    provider.pay(session);
    for (const misbehaviour of ['refusal', 'garbage', 'incomplete'] as const) {
      provider.misbehaving.set('/v1/checkout', misbehaviour);
      await sync(session).expect(502, { detail: 'Payment provider request failed' });
    }
    expect((await user()).pending_plan).toBeNull();
    provider.misbehaving.clear();
    await sync(session).expect(200);
  });

  it('is forgotten with the account, and so are the stored events about it', async () => {
    const session = await begun();
    const subscription = provider.pay(session);
    await report('customer.subscription.created', subscription).expect(200, { ok: true });
    expect(await storedOfSubscription(subscription.id)).toEqual({ subscriptions: 1, events: 1 });
    await post('/v1/account/delete', { current_password: PASSWORD }).expect(200);
    expect(await storedOfSubscription(subscription.id)).toEqual({ subscriptions: 0, events: 0 });
    await report('customer.subscription.updated', subscription, now + 1).expect(200, { ok: true, ignored: true });
  });
});
