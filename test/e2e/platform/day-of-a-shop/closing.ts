import { expect } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { Caller } from '../../../support/shop/person.js';
import type { Shop } from '../../../support/shop/shop.js';
import { it } from './it.js';

/** What the day costs, and whether the service is healthy. */
export function closing(shop: () => Shop): void {
  it('begins to buy a larger plan, and reads what is left of its plan', async () => {
    const { ada, root, payments, organizationId } = shop();
    const of = { organization_id: organizationId };
    const before = await ada.get('/v1/billing/status', of);
    expect(before).toMatchObject({ plan: 'pro', billing_status: 'active', is_blocked: false });
    const session = await ada.post('/v1/billing/checkout-session', { ...of, plan: 'scale', currency: 'usd' });
    expect(payments.sessions.has(session.checkout_session_id)).toBe(true);
    const { url } = await ada.post('/v1/billing/portal', { ...of, return_url: 'https://app.acme.example/billing' });
    expect(url).toMatch(/^https:/);
    const changed = { plan: 'pro', billing_status: 'active', events_per_month_limit: 500_000 };
    expect(await root.patch(`/v1/billing/org/${organizationId}`, changed)).toMatchObject(changed);
    expect(await ada.get('/v1/billing/status', of)).toMatchObject({ plan: 'pro', events_limit: 500_000 });
  });

  it('has a healthy service that runs its jobs', async () => {
    const { jobs } = shop();
    // Other suites keep the workers of the shared service busy.
    const health = await eventually(
      () => new Caller().get('/health'),
      ({ status }) => status === 'ok',
    );
    expect(health).toMatchObject({ status: 'ok', checks: { database: 'ok' } });
    expect((await jobs.get('/internal/jobs')).length).toBeGreaterThan(1);
    for (const job of ['alert-deliveries', 'delivery-retries', 'maintenance', 'rule-evaluations'])
      expect(await jobs.post(`/internal/jobs/${job}`)).toEqual({ processed: expect.any(Number) });
  });
}
