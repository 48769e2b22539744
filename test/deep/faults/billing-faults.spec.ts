import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PaymentProvider } from '../../../src/modules/entitlement/billing/index.js';
import type { Deadline } from '../../../src/platform/concurrency/index.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Actor, type Owner, ownerWithProject, PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { cleanUp } from '../../support/embedded-database.js';
import { PaymentStandIn, type StandInEvent, type StandInSubscription } from '../../support/payment-provider.js';
import { startService } from '../../support/service-process.js';

const NOW = Math.floor(Date.now() / 1000);
const URLS = { success_url: 'https://app.example.com/in', cancel_url: 'https://app.example.com/out' };
const FAILED = { detail: 'Payment provider request failed' };
const ADMIN = 'root@example.com';
const ADMINISTRATION = { ENABLE_BILLING_ADMIN: 'true', PLATFORM_ADMIN_EMAILS: ADMIN };
const JOB_TOKEN = 'for-the-rounds';

describe('billing', () => {
  let app: TestApp;
  let provider: PaymentStandIn;
  let owner: Owner;
  let person: Actor;

  beforeAll(async () => {
    provider = await PaymentStandIn.start();
    // No worker: the rounds of maintenance are those that the tests run.
    app = await createTestApp({ env: { ...provider.env, PROCESS_ROLE: 'api', ...ADMINISTRATION } });
  });
  beforeEach(async () => {
    provider.reset();
    [owner, person] = await Promise.all([ownerWithProject(app), signedIn(app)]);
  });
  afterAll(async () => {
    await cleanUp();
    await app.close();
    await provider.close();
  });

  const post = (path: string, body: object, who: Actor) =>
    app.request().post(path).set('Authorization', who.bearer).send(body);
  const checkout = () =>
    post('/v1/billing/checkout-session', { organization_id: owner.organizationId, plan: 'pro' }, owner);
  const portal = () => post('/v1/billing/portal', { organization_id: owner.organizationId }, owner);
  const payAhead = () => post('/v1/billing/account/checkout-session', { plan: 'pro', ...URLS }, person);
  const sync = (id: string) => post('/v1/billing/account/checkout-session/sync', { checkout_session_id: id }, person);
  const closeAccount = () => post('/v1/account/delete', { current_password: PASSWORD }, person);
  const sessionOf = ({ body }: { body: unknown }): string =>
    (body as { checkout_session_id: string }).checkout_session_id;
  const deliver = (event: StandInEvent) => {
    const payload = JSON.stringify(event);
    return app.request().post('/v1/stripe/webhook').set('Provider-Signature', provider.sign(payload)).send(payload);
  };
  const eventOf = (type: string, object: object, created = NOW) =>
    provider.event(`customer.subscription.${type}`, object, { created });
  const organization = async (id = owner.organizationId) =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [id]))[0];
  const user = async () =>
    (await app.rows<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [person.id]))[0];
  const removals = (customerId: string) =>
    app.rows<{ tries: number }>('SELECT * FROM payment_customer_removals WHERE customer_id = $1', [customerId]);
  const round = (of = app): Promise<number> => of.nest.get(MaintenanceRunner, { strict: false }).run();
  const makeDue = () => app.rows('UPDATE payment_customer_removals SET next_try_at = now()');

  describe('a holder with several subscriptions', () => {
    it('is logged when two checkouts that were started at once are both paid', async () => {
      const sessions = [sessionOf(await checkout().expect(200)), sessionOf(await checkout().expect(200))];
      const [one, two] = sessions.map((session) => provider.pay(session));
      await deliver(eventOf('created', one ?? {})).expect(200);
      await deliver(eventOf('created', two ?? {}, NOW + 1)).expect(200);
      const line = app.logLines.find((each) => each.includes('several subscriptions of one holder are paid for'));
      expect(line).toContain(one?.id);
      expect(line).toContain(two?.id);
    });
  });

  describe('a closed account', () => {
    async function paidAhead(): Promise<{ subscription: StandInSubscription; customer: string }> {
      const session = sessionOf(await payAhead().expect(200));
      const subscription = provider.pay(session);
      await sync(session).expect(200);
      return { subscription, customer: subscription.customer };
    }

    it('is deleted at the provider with its subscription, without delaying the request', async () => {
      const { subscription, customer } = await paidAhead();
      provider.misbehaving.set('/v1/customers', 'hang');
      await closeAccount().expect(200);
      provider.misbehaving.clear();
      expect(await removals(customer)).toHaveLength(1);
      await round();
      expect(provider.customers.get(customer)).toEqual({ id: customer, object: 'customer', deleted: true });
      expect(subscription.status).toBe('canceled');
      expect(await removals(customer)).toEqual([]);
      await deliver(eventOf('deleted', subscription, NOW + 5)).expect(200, { ok: true, ignored: true });
      await round();
      expect(provider.asked('DELETE', /customers/)).toHaveLength(1);
      expect(provider.requests.flatMap(({ faults }) => faults)).toEqual([]);
    });

    it('ends its open checkout, so that nobody pays for an account that is gone', async () => {
      const session = sessionOf(await payAhead().expect(200));
      await closeAccount().expect(200);
      await round();
      expect(provider.sessions.get(session)?.status).toBe('expired');
    });

    it('is deleted at the provider with growing delays while the provider fails or is not configured', async () => {
      const { subscription, customer } = await paidAhead();
      await closeAccount().expect(200);
      provider.misbehaving.set('/v1/customers', 'refusal');
      await round();
      await round();
      expect(await removals(customer)).toMatchObject([{ tries: 1 }]);
      const off = await createTestApp({ databaseUrl: app.databaseUrl, env: { PROCESS_ROLE: 'api' } });
      await makeDue();
      await round(off);
      expect(off.logLines.join('\n')).toContain('PAYMENT_SECRET_KEY is not set');
      await off.close();
      expect(await removals(customer)).toMatchObject([{ tries: 2 }]);
      await app.rows('UPDATE payment_customer_removals SET tries = 100000, next_try_at = now()');
      await round();
      const [late] = await app.rows<{ minutes: number }>(
        `SELECT round(extract(epoch FROM next_try_at - now()) / 60)::int AS minutes FROM payment_customer_removals WHERE customer_id = $1`,
        [customer],
      );
      expect(late?.minutes).toBe(512);
      provider.reset();
      await makeDue();
      await Promise.all([round(), round(), round()]);
      expect(await removals(customer)).toEqual([]);
      expect(provider.asked('DELETE', new RegExp(customer))).toHaveLength(1);
      expect(subscription.status).toBe('canceled');
    });

    it('leaves no customer at the provider when a checkout was in progress', async () => {
      provider.before.set('/v1/customers', async () => {
        provider.before.clear();
        await closeAccount().expect(200);
      });
      await payAhead().expect(401, { detail: 'Not authenticated' });
      const [made] = [...provider.customers.values()].filter(({ email }) => email === person.email);
      expect(made).toBeDefined();
      await round();
      expect(provider.customers.get(made?.id ?? '')).toMatchObject({ deleted: true });
    });

    it('never deletes the customer of an organization', async () => {
      await checkout().expect(200);
      const customer = String((await organization())?.payment_customer_id);
      await app.rows('UPDATE users SET pending_customer_id = $2 WHERE id = $1', [person.id, customer]);
      await closeAccount().expect(200);
      expect(await removals(customer)).toEqual([]);
    });
  });

  it('forgets events after 90 days, whatever became of them, and knows duplicates until then', async () => {
    const events = [eventOf('created', provider.subscription()), provider.event('invoice.paid', {})];
    for (const event of events) await deliver(event).expect(200);
    const ids = events.map(({ id }) => id);
    const age = (days: number) =>
      app.rows(`UPDATE payment_events SET received_at = now() - make_interval(days => $2) WHERE id = ANY ($1)`, [
        ids,
        days,
      ]);
    await age(89);
    await round();
    for (const event of events) await deliver(event).expect(200, { ok: true, duplicate: true });
    await age(91);
    await round();
    expect(await app.rows('SELECT 1 FROM payment_events WHERE id = ANY ($1)', [ids])).toEqual([]);
  });

  it('ends a life whose end is told first as it ends one that is told in order', async () => {
    const columns = ['plan', 'billing_status', 'payment_subscription_status', 'payment_price_id'] as const;
    const told = async (inOrder: boolean): Promise<unknown[]> => {
      const who = await ownerWithProject(app);
      const metadata = { billing_scope: 'organization', organization_id: who.organizationId };
      const begun = provider.subscription({ metadata, created: NOW, price: provider.prices.pro });
      const grown = provider.subscription({ ...begun, price: provider.prices.scale });
      const events = [
        eventOf('created', { ...begun, status: 'incomplete' }, NOW),
        eventOf('updated', grown, NOW + 1),
        eventOf('deleted', { ...grown, status: 'canceled' }, NOW + 2),
      ];
      for (const event of inOrder ? events : events.reverse()) await deliver(event).expect(200, { ok: true });
      const stored = await organization(who.organizationId);
      return columns.map((column) => stored?.[column]);
    };
    const expected = ['scale', 'canceled', 'canceled', provider.prices.scale];
    expect([await told(true), await told(false)]).toEqual([expected, expected]);

    const session = sessionOf(await payAhead().expect(200));
    const subscription = provider.pay(session);
    await deliver(eventOf('deleted', subscription, NOW + 2)).expect(200, { ok: true });
    await deliver(eventOf('updated', subscription, NOW + 1)).expect(200, { ok: true });
    await deliver(eventOf('created', subscription, NOW)).expect(200, { ok: true });
    expect(await user()).toMatchObject({ pending_plan: null, pending_billing_status: null });
    // Nor does the session of then bring it back.
    subscription.status = 'canceled';
    expect((await sync(session).expect(200)).body).toMatchObject({ ready_for_workspace: false });
    expect(await user()).toMatchObject({ pending_plan: null, pending_billing_status: null });
  });

  it('keeps what administration decides while events come in', async () => {
    const admin = await signedIn(app, ADMIN);
    for (const billing_status of ['suspended', 'blocked', 'active', 'suspended']) {
      const metadata = { billing_scope: 'organization', organization_id: owner.organizationId };
      const subscription = provider.subscription({ metadata, created: NOW });
      const grown = provider.subscription({ ...subscription, price: provider.prices.scale });
      const answers = await Promise.all([
        deliver(eventOf('created', { ...subscription, status: 'trialing' }, NOW)),
        app
          .request()
          .patch(`/v1/billing/org/${owner.organizationId}`)
          .set('Authorization', admin.bearer)
          .send({ billing_status, events_per_month_limit: 7 }),
        deliver(eventOf('updated', grown, NOW + 1)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await organization()).toMatchObject({ plan: 'scale', billing_status, events_per_month_limit: '7' });
      await app.rows(`UPDATE payment_subscriptions SET status = 'canceled' WHERE id = $1`, [subscription.id]);
    }
  });

  it('is answered within 10 seconds by a provider that hangs at the last step, and keeps the customer alone', async () => {
    const session = sessionOf(await payAhead().expect(200));
    provider.pay(session);
    const customer = (await user())?.pending_customer_id;
    provider.misbehaving.set('/v1/checkout', 'hang');
    provider.misbehaving.set('/v1/billing_portal', 'hang');
    const acts = jest.spyOn(app.nest.get(PaymentProvider), 'begin');
    const answers = await Promise.all([checkout(), portal(), payAhead(), sync(session)]);
    const deadlines = acts.mock.results.map(({ value }) => value as Deadline);
    acts.mockRestore();
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(4).fill([502, FAILED]));
    expect(deadlines.map(({ milliseconds }) => milliseconds < 10_000)).toEqual(Array(4).fill(true));
    expect(await organization()).toMatchObject({ plan: 'free', payment_subscription_id: null });
    expect(await user()).toMatchObject({ pending_plan: null, pending_customer_id: customer });
    provider.reset();
    await checkout().expect(200);
    await sync(session).expect(200);
    expect(provider.asked('POST', /customers$/)).toEqual([]);
  });

  it('goes on where a process was killed: an event half-way, a customer nobody has noted, an account half removed', async () => {
    const gone = sessionOf(await payAhead().expect(200));
    const { customer: left } = provider.pay(gone);
    const session = sessionOf(await checkout().expect(200));
    const subscription = provider.pay(session);
    const completed = provider.event('checkout.session.completed', provider.sessions.get(session) ?? {}, {
      created: NOW,
    });
    const other = await ownerWithProject(app);
    await closeAccount().expect(200);
    const customers = provider.customers.size;

    const service = await startService({
      env: {
        ...provider.env,
        DATA_DIR: app.dataDir,
        DATABASE_URL: app.databaseUrl,
        INTERNAL_JOB_TOKEN: JOB_TOKEN,
        PROCESS_ROLE: 'api',
      },
    });
    let release: () => void = () => undefined;
    const killed = new Promise<void>((resolve) => (release = resolve));
    const reached = new Set<string>();
    for (const path of ['/v1/subscriptions', '/v1/customers', `/v1/customers/${left}`].reverse())
      provider.before.set(path, async () => {
        reached.add(path);
        await killed;
      });
    const send = (path: string, headers: Record<string, string>, body: string) =>
      fetch(service.url + path, { method: 'POST', headers, body }).catch(() => undefined);
    const json = { 'Content-Type': 'application/json' };
    const payload = JSON.stringify(completed);
    // The webhook's act would end by itself while the others are on their way, so it is the last.
    const maintenance = send('/internal/jobs/maintenance', { 'X-Internal-Token': JOB_TOKEN }, '');
    while (reached.size < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    const lost = [
      maintenance,
      send('/v1/stripe/webhook', { ...json, 'Provider-Signature': provider.sign(payload) }, payload),
      send(
        '/v1/billing/portal',
        { ...json, Authorization: other.bearer },
        JSON.stringify({ organization_id: other.organizationId }),
      ),
    ];
    while (reached.size < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await service.stop('SIGKILL');
    release();
    await Promise.all(lost);
    while (provider.customers.size === customers) await new Promise((resolve) => setTimeout(resolve, 20));
    provider.before.clear();

    const [event] = await app.rows('SELECT outcome, failures FROM payment_events WHERE id = $1', [completed.id]);
    expect(event).toEqual({ outcome: null, failures: 0 });
    expect(await organization()).toMatchObject({ plan: 'free', payment_subscription_id: null });
    expect(await organization(other.organizationId)).toMatchObject({ payment_customer_id: null });

    await deliver(completed).expect(200, { ok: true });
    await deliver(completed).expect(200, { ok: true, duplicate: true });
    expect(await organization()).toMatchObject({ plan: 'pro', payment_subscription_id: subscription.id });
    await post('/v1/billing/portal', { organization_id: other.organizationId }, other).expect(200);
    expect(provider.customers.size).toBe(customers + 1);
    await makeDue();
    await round();
    expect(await removals(left)).toEqual([]);
    expect(provider.customers.get(left)).toMatchObject({ deleted: true });
  });
});
