import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, addMember, ownerWithProject, PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { PaymentStandIn } from '../../support/payment-provider.js';

const NOW = Math.floor(Date.now() / 1000);
const URLS = {
  success_url: 'https://app.example.com/in?s={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://localhost:3000/out',
};

describe('paying before there is an organization', () => {
  let app: TestApp;
  let provider: PaymentStandIn;
  let person: Actor;

  beforeAll(async () => {
    provider = await PaymentStandIn.start();
    app = await createTestApp({ env: provider.env });
  });
  beforeEach(async () => {
    provider.reset();
    person = await signedIn(app);
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const post = (path: string, body: object, who: Actor = person) =>
    app.request().post(path).set('Authorization', who.bearer).send(body);
  const checkout = (body: object = {}, who: Actor = person) =>
    post('/v1/billing/account/checkout-session', { plan: 'pro', ...URLS, ...body }, who);
  const sync = (id: string, who: Actor = person) =>
    post('/v1/billing/account/checkout-session/sync', { checkout_session_id: id }, who);
  const begun = async (body: object = {}): Promise<string> =>
    ((await checkout(body).expect(200)).body as { checkout_session_id: string }).checkout_session_id;
  const user = async (id = person.id) =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [id]))[0];
  const organization = async (id: string) =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [id]))[0];
  const pendingPlan = async () =>
    (
      (await app.request().get('/v1/auth/me').set('Authorization', person.bearer).expect(200)).body as {
        pending_plan: unknown;
      }
    ).pending_plan;
  const newOrganization = (who: Actor = person) =>
    post('/v1/organizations', { name: 'First', slug: randomBytes(6).toString('hex') }, who);
  const created = async (): Promise<string> => ((await newOrganization().expect(201)).body as { id: string }).id;
  const deliver = (type: string, object: object, at = NOW) => {
    const payload = JSON.stringify(provider.event(type, object, { created: at }));
    return app.request().post('/v1/stripe/webhook').set('Provider-Signature', provider.sign(payload)).send(payload);
  };

  it('begins a checkout for the person', async () => {
    const { body } = (await checkout({ currency: 'eur' }).expect(200)) as { body: Record<string, string> };
    const session = provider.sessions.get(body.checkout_session_id ?? '');
    expect(body).toEqual({ plan: 'pro', checkout_session_id: session?.id, checkout_url: session?.url });
    const customer = String((await user())?.pending_customer_id);
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

  it('makes one customer for parallel checkouts, and another when it is lost', async () => {
    await Promise.all([checkout().expect(200), checkout().expect(200), checkout({ plan: 'scale' }).expect(200)]);
    const customers = new Set(provider.asked('POST', /checkout/).map(({ form }) => form.customer));
    const first = String((await user())?.pending_customer_id);
    expect(customers).toEqual(new Set([first]));
    provider.customers.set(first, { id: first, deleted: true });
    await checkout().expect(200);
    expect((await user())?.pending_customer_id).not.toBe(first);
  });

  it('stores what was paid for, shows it, and gives it to the first organization', async () => {
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
    expect(await organization(id)).toMatchObject({
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
    // What the plan allows holds for the next one, which takes nothing over.
    expect(await organization(await created())).toMatchObject({ plan: 'free', payment_customer_id: null });

    const workspace = { detail: 'Pre-checkout is only available before creating your first workspace' };
    await sync(session).expect(409, workspace);
    await checkout().expect(409, workspace);

    // The metadata of the subscription names the person for ever; its events belong to the organization now.
    await deliver('customer.subscription.updated', { ...subscription, status: 'past_due' }, NOW + 60).expect(200, {
      ok: true,
    });
    expect(await organization(id)).toMatchObject({ billing_status: 'past_due' });
    await deliver('customer.subscription.deleted', subscription, NOW + 70).expect(200, { ok: true });
    expect(await organization(id)).toMatchObject({ plan: 'scale', billing_status: 'canceled' });
    expect(await pendingPlan()).toBeNull();
  });

  it('is claimed once when organizations are made in parallel', async () => {
    const session = await begun({ plan: 'scale' });
    provider.pay(session, { price: provider.prices.scale });
    await sync(session).expect(200);
    const answers = await Promise.all(Array.from({ length: 5 }, () => newOrganization()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const plans = await app.rows<{ plan: string }>('SELECT plan FROM organizations WHERE owner_id = $1 ORDER BY plan', [
      person.id,
    ]);
    expect(plans.map(({ plan }) => plan)).toEqual(['free', 'free', 'free', 'free', 'scale']);
  });

  it('loses nothing when the organization, the sync and the events race', async () => {
    for (let round = 0; round < 8; round += 1) {
      person = await signedIn(app);
      const session = await begun();
      const subscription = provider.pay(session);
      const answers = await Promise.all([
        newOrganization(),
        sync(session),
        deliver('customer.subscription.created', { ...subscription, status: 'incomplete' }, NOW),
        deliver('customer.subscription.updated', subscription, NOW + 1),
        deliver('checkout.session.completed', provider.sessions.get(session) ?? {}, NOW + 1),
      ]);
      expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
      const [{ id } = { id: '' }] = await app.rows<{ id: string }>('SELECT id FROM organizations WHERE owner_id = $1', [
        person.id,
      ]);
      expect(await organization(id)).toMatchObject({
        plan: 'pro',
        billing_status: 'active',
        payment_subscription_id: subscription.id,
      });
      expect(await pendingPlan()).toBeNull();
    }
  });

  it('is stored by the provider’s events too, and cleared by the end of the subscription', async () => {
    const session = await begun();
    const subscription = provider.pay(session);
    await deliver('customer.subscription.created', subscription).expect(200, { ok: true });
    expect(await pendingPlan()).toBe('pro');
    await deliver('customer.subscription.deleted', subscription, NOW + 1).expect(200, { ok: true });
    expect(await user()).toMatchObject({
      pending_plan: null,
      pending_billing_status: null,
      pending_subscription_id: null,
      pending_price_id: null,
    });
    expect(await organization(await created())).toMatchObject({ plan: 'free', billing_status: 'active' });
  });

  it('goes to the organization that was made before the payment was reported', async () => {
    const session = await begun();
    const id = await created();
    const subscription = provider.pay(session);
    await deliver('checkout.session.completed', provider.sessions.get(session) ?? {}).expect(200, { ok: true });
    expect(await organization(id)).toMatchObject({ plan: 'pro', payment_subscription_id: subscription.id });
  });

  it('is not ready while the subscription is not paid for', async () => {
    const session = await begun();
    provider.pay(session, { status: 'incomplete' });
    const { body } = await sync(session).expect(200);
    expect(body).toMatchObject({ ready_for_workspace: false, stripe_subscription_status: 'incomplete' });
    expect(await user()).toMatchObject({ pending_plan: 'pro', pending_billing_status: 'inactive' });
  });

  it('takes what the session itself says when it has no subscription', async () => {
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
    expect(await organization(await created())).toMatchObject({ plan: 'pro', billing_status: 'active' });
  });

  it('names a plan whose price is no longer configured by what was bought', async () => {
    const session = await begun();
    provider.pay(session, { price: 'price_of_last_year' });
    expect((await sync(session).expect(200)).body).toMatchObject({ plan: 'pro' });
    person = await signedIn(app);
    const other = await begun();
    provider.pay(other, { price: 'price_of_last_year', metadata: {} });
    Object.assign(provider.sessions.get(other) ?? {}, { metadata: {} });
    await sync(other).expect(400, { detail: 'Checkout session has no known plan' });
  });

  it('does not give one person what another has paid for', async () => {
    const foreign = { detail: 'Checkout session does not belong to this user' };
    const thief = await signedIn(app);
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
    // Nothing names an owner, but the customer is somebody's.
    Object.assign(state, { metadata: { plan: 'pro' }, client_reference_id: null });
    await sync(session, thief).expect(403, foreign);
    await sync(session).expect(200);
    Object.assign(state, { customer: null });
    Object.assign(subscription, { customer: null });
    await sync(session, thief).expect(403, foreign);
    expect((await user(thief.id))?.pending_plan).toBeNull();

    const owner = await ownerWithProject(app);
    const { body } = await post(
      '/v1/billing/checkout-session',
      { organization_id: owner.organizationId, plan: 'pro' },
      owner,
    ).expect(200);
    const { checkout_session_id: organizations } = body as { checkout_session_id: string };
    provider.pay(organizations);
    await sync(organizations, thief).expect(403, foreign);
  });

  it('is for people without any organization', async () => {
    const owner = await ownerWithProject(app);
    for (const who of [owner, await addMember(app, owner, 'viewer')]) {
      const detail = 'Pre-checkout is only available before creating your first workspace';
      await checkout({}, who).expect(409, { detail });
      await sync('cs_1', who).expect(409, { detail });
    }
  });

  it('leads back to an app by any scheme but those that a browser would run or open itself', async () => {
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

  it('gives the first organization no plan that was never paid for', async () => {
    const session = await begun();
    const subscription = provider.pay(session, { status: 'incomplete' });
    await deliver('customer.subscription.created', subscription, NOW).expect(200, { ok: true });
    await sync(session).expect(200);
    const id = await created();
    expect(await organization(id)).toMatchObject({ plan: 'free', billing_status: 'active' });
    const expired = { ...subscription, status: 'incomplete_expired' };
    provider.subscriptions.set(subscription.id, expired);
    await deliver('customer.subscription.updated', expired, NOW + 9).expect(200, { ok: true });
    expect(await organization(id)).toMatchObject({ plan: 'free', billing_status: 'active' });
  });

  it('refuses free, wrong addresses and wrong sessions', async () => {
    await checkout({ plan: 'free' }).expect(422);
    await checkout({ success_url: '' }).expect(422);
    await checkout({ cancel_url: undefined }).expect(422);
    await sync('').expect(422);
    await sync('x'.repeat(256)).expect(422);
    expect(provider.requests).toEqual([]);
    for (const id of ['cs_unknown', 'x'.repeat(255), '..', '../customers', 'cs_1?expand=x', 'cs 1'])
      await sync(id).expect(404, { detail: 'Checkout session not found' });
    expect(provider.requests).toHaveLength(2);
  });

  it('leaves nothing behind when the provider fails', async () => {
    provider.misbehaving.set('/v1/customers', 'refusal');
    await checkout().expect(502, { detail: 'Payment provider request failed' });
    expect((await user())?.pending_customer_id).toBeNull();
    provider.misbehaving.clear();
    const session = await begun();
    provider.pay(session);
    for (const misbehaviour of ['refusal', 'garbage', 'incomplete'] as const) {
      provider.misbehaving.set('/v1/checkout', misbehaviour);
      await sync(session).expect(502, { detail: 'Payment provider request failed' });
    }
    expect((await user())?.pending_plan).toBeNull();
    provider.misbehaving.clear();
    await sync(session).expect(200);
  });

  it('ends with the account, events that were stored included', async () => {
    const session = await begun();
    const subscription = provider.pay(session);
    await deliver('customer.subscription.created', subscription).expect(200, { ok: true });
    await post('/v1/account/delete', { current_password: PASSWORD }).expect((answer) => {
      expect([200, 204]).toContain(answer.status);
    });
    expect(await app.rows('SELECT 1 FROM payment_subscriptions WHERE id = $1', [subscription.id])).toEqual([]);
    expect(await app.rows('SELECT 1 FROM payment_events WHERE payload LIKE $1', [`%${subscription.id}%`])).toEqual([]);
    await deliver('customer.subscription.updated', subscription, NOW + 1).expect(200, { ok: true, ignored: true });
  });

  it('needs billing to be on', async () => {
    const off = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir, env: {} });
    const detail = 'Payment provider is not configured';
    const send = (path: string, body: object) =>
      off.request().post(path).set('Authorization', person.bearer).send(body);
    await send('/v1/billing/account/checkout-session', { plan: 'pro', ...URLS }).expect(500, { detail });
    await send('/v1/billing/account/checkout-session/sync', { checkout_session_id: 'cs_1' }).expect(500, { detail });
    await off.close();
  });
});
