import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import type { TestApp } from '../../../support/app.js';
import { Objects } from '../../../support/objects.js';
import type { PaymentStandIn } from '../../../support/payment-provider.js';
import { utcDay } from '../../../support/utc-day.js';
import { type Billing, INTERNAL_TOKEN } from './billing.js';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export function describeStorageOverage(billing: () => Billing): void {
  describe('usage beyond the storage quotas', () => {
    let app: TestApp;
    let provider: PaymentStandIn;
    let owner: Owner;
    let objects: Objects;
    let customer: string;

    beforeAll(() => {
      ({ app, provider } = billing());
    });
    beforeEach(async () => {
      provider.reset();
      provider.meterEvents.clear();
      owner = await ownerWithProject(app);
      objects = new Objects(app, owner);
      customer = `cus_${owner.organizationId}`;
      provider.customers.set(customer, { id: customer });
    });

    const subscribe = (status: string): Promise<unknown> =>
      app.rows(
        `UPDATE organizations SET plan = 'pro', payment_customer_id = $2, payment_subscription_status = $3 WHERE id = $1`,
        [owner.organizationId, customer, status],
      );
    const maintain = (): Promise<unknown> =>
      app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
    /** So many days before today, UTC. */
    const day = (before: number): string => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
    const events = (): object[] =>
      [...provider.meterEvents.values()].map((form) => ({
        meter: form.event_name,
        value: form['payload[value]'],
        identifier: form.identifier,
      }));

    it.each(['active', 'trialing', 'past_due'])(
      'is stored, served and shown as metered while the subscription is %s',
      async (status) => {
        await subscribe(status);
        const first = await objects.stored('one', Buffer.alloc(1.5 * MIB));
        await objects.stored('two', Buffer.alloc(MIB));
        const link = await objects.link(first.id);
        await app.request().get(link).expect(200);
        expect(await objects.usage()).toMatchObject({
          is_metered: true,
          storage: { bytes_used: 2.5 * MIB, bytes_limit: MIB, bytes_remaining: 0 },
          bandwidth: { bytes_used: 1.5 * MIB, bytes_limit: MIB, bytes_remaining: 0 },
        });
        expect((await objects.put('too large', Buffer.alloc(2 * MIB + 1)).expect(413)).body).toEqual({
          detail: 'File exceeds the maximum size of the plan',
        });
      },
    );

    it.each(['canceled', 'unpaid'])('is refused, and not metered, while the subscription is %s', async (status) => {
      await subscribe(status);
      await objects.put('one', Buffer.alloc(1.5 * MIB)).expect(403);
      expect(await objects.usage()).toMatchObject({ is_metered: false });
    });

    it('is refused without a subscription', async () => {
      await objects.put('one', Buffer.alloc(1.5 * MIB)).expect(403);
    });

    it('is reported once after the end of the day, even when the payment provider fails meanwhile', async () => {
      await utcDay();
      await subscribe('active');
      const { id } = await objects.stored('one', Buffer.alloc(1.5 * MIB));
      await app
        .request()
        .get(await objects.link(id))
        .expect(200);
      await maintain();
      await objects.remove(id).expect(204);
      await maintain();
      expect(events()).toEqual([]);
      expect(
        await app.rows(
          `SELECT storage_bytes::int, bandwidth_bytes::int FROM storage_overage_days WHERE organization_id = $1`,
          [owner.organizationId],
        ),
      ).toEqual([{ storage_bytes: MIB / 2, bandwidth_bytes: MIB / 2 }]);

      await app.rows(`UPDATE storage_overage_days SET day = day - 1 WHERE organization_id = $1`, [
        owner.organizationId,
      ]);
      await app.rows(`DELETE FROM storage_months WHERE organization_id = $1`, [owner.organizationId]);
      provider.misbehaving.set('/v1/billing/meter_events', 'error');
      await maintain();
      expect(events()).toEqual([]);
      await objects.put('meanwhile', 'x').expect(201);
      provider.misbehaving.clear();
      await maintain();
      const due = ['object_bandwidth_gb', 'object_storage_gb_days'].map((meter) => ({
        meter,
        value: '1',
        identifier: `${owner.organizationId}:${day(1)}:${meter}`,
      }));
      expect(events()).toEqual(due);
      await maintain();
      // A report is sent again when the process died before it recorded the report. The provider counts it once.
      await app.rows(`UPDATE storage_overage_days SET storage_reported_at = NULL WHERE organization_id = $1`, [
        owner.organizationId,
      ]);
      await maintain();
      expect(events()).toEqual(due);
      expect(
        await app.rows(
          `SELECT 1 FROM storage_overage_days WHERE organization_id = $1 AND storage_reported_at IS NULL`,
          [owner.organizationId],
        ),
      ).toEqual([]);
    });

    it('is rounded up over the sum of a month and not for each day', async () => {
      await utcDay();
      await subscribe('active');
      const start = [8, 14].find((before) => day(before).slice(0, 7) === day(before - 3).slice(0, 7)) ?? 8;
      const storage = [0.4, 0.4, 0.4, 2.9];
      const bandwidth = [0.1, 0.1, 1.5, 1.5];
      for (const [at, amount] of storage.entries()) {
        await app.rows(
          `INSERT INTO storage_overage_days (organization_id, day, storage_bytes, bandwidth_bytes) VALUES ($1, $2, $3, $4)`,
          [owner.organizationId, day(start - at), Math.round(amount * GIB), Math.round((bandwidth[at] ?? 0) * GIB)],
        );
      }
      await maintain();
      const of = (meter: string): object =>
        Object.fromEntries(
          events()
            .map((event) => event as { meter: string; value: string; identifier: string })
            .filter((event) => event.meter === meter)
            .map(({ identifier, value }) => [identifier.split(':')[1], value]),
        );
      // 0.4, 0.8, 1.2 and 4.1 GB-days make 1, 1, 2 and 5.
      expect(of('object_storage_gb_days')).toEqual({ [day(start)]: '1', [day(start - 2)]: '1', [day(start - 3)]: '3' });
      expect(of('object_bandwidth_gb')).toEqual({ [day(start)]: '1', [day(start - 2)]: '1' });
    });
  });
}
