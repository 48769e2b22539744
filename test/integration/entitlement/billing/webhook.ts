import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyUseRecorder } from '../../../../src/modules/entitlement/api-keys/key-use.recorder.js';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import { createApiApp, type TestApp } from '../../../support/app.js';
import type { PaymentStandIn, StandInEvent } from '../../../support/payment-provider.js';
import type { Billing } from './billing.js';

const NOW = Math.floor(Date.now() / 1000);

export function describePaymentEvents(billing: () => Billing): void {
  describe('an event of the payment provider', () => {
    let app: TestApp;
    /** Another instance, with a small limit of bodies. */
    let second: TestApp;
    let provider: PaymentStandIn;
    let owner: Owner;

    beforeAll(async () => {
      ({ app, provider } = billing());
      const { databaseUrl, dataDir } = app;
      second = await createApiApp({ databaseUrl, dataDir, env: { ...provider.env, MAX_BODY_BYTES: '20000' } });
    });
    beforeEach(async () => {
      provider.reset();
      owner = await ownerWithProject(app);
    });
    afterAll(() => second.close());

    const send = (payload: string, headers: Record<string, string>, on = app) =>
      on.request().post('/v1/stripe/webhook').set(headers).send(payload);
    const deliver = (event: StandInEvent) => {
      const payload = JSON.stringify(event);
      return send(payload, { 'Content-Type': 'application/json', 'Provider-Signature': provider.sign(payload) });
    };
    const stored = async () =>
      (await app.rows<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [owner.organizationId]))[0];
    const storedEvent = async (id: string) =>
      (await app.rows<Record<string, unknown>>('SELECT * FROM payment_events WHERE id = $1', [id]))[0];
    const subscription = (given: Parameters<PaymentStandIn['subscription']>[0] = {}) =>
      provider.subscription({
        metadata: { billing_scope: 'organization', organization_id: owner.organizationId },
        created: NOW,
        ...given,
      });
    const changed = (object: object, created = NOW) =>
      provider.event('customer.subscription.updated', object, { created });

    it('is refused with 413 when its body is larger than the configured limit', async () => {
      const text = JSON.stringify({
        id: 'evt_big',
        type: 'x',
        created: 1,
        data: { object: { text: 'x'.repeat(30_000) } },
      });
      await send(text, { 'Provider-Signature': provider.signByHand(text) }, second).expect(413, {
        detail: 'Request body too large',
      });
    });

    it('does not count as a use of the API key that its request names', async () => {
      const lastUse = async () => {
        await app.nest.get(KeyUseRecorder, { strict: false }).flush();
        const rows = await app.rows<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_keys WHERE id = $1', [
          owner.apiKeyId,
        ]);
        return rows[0]?.last_used_at;
      };
      const payload = JSON.stringify(changed(subscription()));
      const key = { 'X-API-Key': owner.apiKey };
      await send(payload, key).expect(400);
      await send(payload, { ...key, 'Provider-Signature': 't=1,v1=00' }).expect(400);
      await send(payload, { ...key, 'Provider-Signature': provider.sign(payload) }).expect(200);
      expect(await lastUse()).toBeNull();
      await app.request().get('/v1/api-keys/me').set(key).expect(200);
      expect(await lastUse()).toBeInstanceOf(Date);
    });

    it('counts as made when it first came, when it does not say when it was made', async () => {
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

    it('is processed once and else reported as a duplicate when it comes in parallel at two instances', async () => {
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
      const bodies = answers.map(({ status, body }) => JSON.stringify([status, body])).sort();
      expect(bodies).toEqual([
        ...Array.from({ length: 19 }, () => '[200,{"ok":true,"duplicate":true}]'),
        '[200,{"ok":true}]',
      ]);
      const acts = await app.rows(`SELECT 1 FROM audit_events WHERE organization_id = $1 AND action LIKE 'billing.%'`, [
        owner.organizationId,
      ]);
      expect(acts).toHaveLength(1);
    });

    it('changes nothing when it fails in the database, and is processed when it comes again', async () => {
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

    it('needs both secrets of the provider, while checkout may be off', async () => {
      const part = await createApiApp({
        databaseUrl: app.databaseUrl,
        env: { ...provider.env, ENABLE_PAYMENT_BILLING: '', PAYMENT_WEBHOOK_SECRET: '' },
      });
      const payload = JSON.stringify(provider.event('invoice.paid', {}));
      await part
        .request()
        .post('/v1/stripe/webhook')
        .set({ 'Provider-Signature': provider.sign(payload) })
        .send(payload)
        .expect(500, { detail: 'Payment provider is not configured' });
      expect(part.logLines.join('\n')).toContain('PAYMENT_WEBHOOK_SECRET is not set');
      await part.close();
    });
  });
}
