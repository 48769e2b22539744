import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PaymentProvider } from '../../../../src/modules/entitlement/billing/index.js';
import { Deadline } from '../../../../src/platform/concurrency/index.js';
import { type Owner, ownerWithProject, signedIn } from '../../../support/actors.js';
import { createApiApp, type TestApp } from '../../../support/app.js';
import type { Misbehaviour, PaymentStandIn } from '../../../support/payment-provider.js';
import type { Billing } from './billing.js';

/** A test waits so long in place of the time limit of an act, and longer than a transaction may be open. */
const SHORT_ACT_MS = 3_000;

export function describeCheckouts(billing: () => Billing): void {
  describe('a checkout at a provider that does not answer', () => {
    let app: TestApp;
    let provider: PaymentStandIn;
    let owner: Owner;

    beforeAll(() => {
      ({ app, provider } = billing());
    });
    beforeEach(async () => {
      provider.reset();
      owner = await ownerWithProject(app);
    });

    const checkout = () =>
      app
        .request()
        .post('/v1/billing/checkout-session')
        .set('Authorization', owner.bearer)
        .send({ organization_id: owner.organizationId, plan: 'pro' });
    const stored = async () =>
      (await app.rows<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [owner.organizationId]))[0];

    /** Returns the statements after which a connection of the service has waited inside a transaction for at least this long. */
    const openTransactions = (seconds: number) =>
      app.rows(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
       AND state_change <= now() - make_interval(secs => $1)`,
        [seconds],
      );

    it.each<[Misbehaviour]>([['hang'], ['drip']])(
      'returns 502 within 10 seconds when the provider answers by %s, and holds no transaction meanwhile',
      async (misbehaviour) => {
        provider.misbehaving.set('/v1/customers', misbehaviour);
        const payments = app.nest.get(PaymentProvider);
        const begin = payments.begin.bind(payments);
        const limits: number[] = [];
        const acts = jest.spyOn(payments, 'begin').mockImplementation(() => {
          limits.push(begin().milliseconds);
          return new Deadline(SHORT_ACT_MS);
        });
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
        acts.mockRestore();
        expect(limits.map((milliseconds) => milliseconds < 10_000)).toEqual([true]);
        expect(held).toEqual([]);
        expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
        expect((await stored())?.payment_customer_id).toBeNull();
      },
    );
  });

  describe('the configuration of the payment provider', () => {
    let provider: PaymentStandIn;
    /** Every service of these tests runs on the database and the folder of this one. */
    let first: TestApp;

    beforeAll(() => {
      ({ app: first, provider } = billing());
    });

    async function withEnv(
      env: Record<string, string>,
      work: (app: TestApp, owner: Owner) => Promise<void>,
    ): Promise<void> {
      const app = await createApiApp({ env, databaseUrl: first.databaseUrl, dataDir: first.dataDir });
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

    it('switches billing off by default: every route of the provider and of accounts returns 500, and the log has the reason', async () => {
      await withEnv({}, async (app, owner) => {
        await send(app, owner, '/v1/billing/checkout-session').expect(500, off);
        await send(app, owner, '/v1/billing/portal').expect(500, off);
        await app
          .request()
          .post('/v1/stripe/webhook')
          .set('Provider-Signature', 't=1,v1=0')
          .send('{}')
          .expect(500, off);
        await app.request().post('/v1/stripe/webhook').send('{}').expect(500, off);
        await send(app, owner, '/v1/billing/checkout-session', { plan: 'free' }).expect(422);
        await app.rows(`UPDATE organizations SET payment_subscription_status = 'active' WHERE id = $1`, [
          owner.organizationId,
        ]);
        // An active subscription is the first reason to refuse, as at the checkout of an account without an organization.
        await send(app, owner, '/v1/billing/checkout-session').expect(409, { detail: 'Subscription already active' });
        const log = app.logLines.join('\n');
        expect(log).toContain('ENABLE_PAYMENT_BILLING is not true');
        expect(log).toContain('ENABLE_PAYMENT_WEBHOOKS is not true');

        const { bearer } = await signedIn(app);
        const post = (path: string, body: object) => app.request().post(path).set('Authorization', bearer).send(body);
        const urls = { success_url: 'https://app.example.com/in', cancel_url: 'http://localhost:3000/out' };
        await post('/v1/billing/account/checkout-session', { plan: 'pro', ...urls }).expect(500, off);
        await post('/v1/billing/account/checkout-session/sync', { checkout_session_id: 'cs_1' }).expect(500, off);
      });
    });

    // billing-settings.spec.ts has every setting with its reason. An application for each would take half a minute.
    it.each([
      ['PAYMENT_SECRET_KEY', 'sk_test_of\nnobody', 'portal', 'PAYMENT_SECRET_KEY is not a key'],
      ['PAYMENT_CANCEL_URL', '', 'checkout-session', 'PAYMENT_CANCEL_URL is not set'],
    ])(
      'sends the provider no request when %s is %j and the route is %s, and only the log has the reason',
      async (name, value, act, reason) => {
        await withEnv({ ...provider.env, [name]: value }, async (app, owner) => {
          provider.reset();
          await send(app, owner, `/v1/billing/${act}`).expect(500, off);
          const log = app.logLines.join('\n');
          expect(log).toContain(reason);
          expect(log).not.toContain('sk_test_of');
          expect(provider.requests).toEqual([]);
        });
      },
    );

    it('sells a plan in euro at its only price when there is no price in euro', async () => {
      await withEnv({ ...provider.env, PAYMENT_PRICE_ID_PRO_EUR: '' }, async (app, owner) => {
        provider.reset();
        await send(app, owner, '/v1/billing/checkout-session', { currency: 'eur' }).expect(200);
        expect(provider.asked('POST', /checkout/)[0]?.form['line_items[0][price]']).toBe(provider.prices.pro);
      });
    });

    it('makes the portal return 502 when the provider refuses the key, and logs no key', async () => {
      await withEnv({ ...provider.env, PAYMENT_SECRET_KEY: 'sk_test_wrong' }, async (app, owner) => {
        await send(app, owner, '/v1/billing/portal').expect(502, { detail: 'Payment provider request failed' });
        expect(app.logLines.join('\n')).not.toContain('sk_test_');
      });
    });
  });
}
