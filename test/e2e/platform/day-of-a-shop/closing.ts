import { expect, it } from '@jest/globals';
import { Caller } from '../../../support/shop/person.js';
import type { Shop } from '../../../support/shop/shop.js';

/** What the day costs, and whether all that works. */
export function closing(shop: () => Shop): void {
  it('buys a larger plan, and sees what is left of it', async () => {
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

  it('is all in working order', async () => {
    const { app, jobs } = shop();
    expect(await new Caller(app, {}).get('/health')).toMatchObject({ status: 'ok', checks: { database: 'ok' } });
    expect((await jobs.get('/internal/jobs')).length).toBeGreaterThan(1);
    for (const job of ['alert-deliveries', 'delivery-retries', 'maintenance', 'rule-evaluations'])
      expect(await jobs.post(`/internal/jobs/${job}`)).toEqual({ processed: expect.any(Number) });
  });
}
