import { expect, it } from '@jest/globals';
import type { Owner } from '../../../support/actors.js';
import { eventually } from '../../../support/eventually.js';
import { SentinelClient } from '../../../support/sentinel.js';
import type { Shop } from '../../../support/shop/shop.js';

const DAYS = 4;
const BUCKETS_OF_A_DAY = 288;

/** What the service sees by itself. */
export function watch(shop: () => Shop): void {
  it('is shown what is unlike the days before', async () => {
    const { app, ada, grace, organizationId } = shop();
    const till = await ada.post('/v1/projects', { organization_id: organizationId, name: 'Till', slug: 'till' });
    const of = { project_id: till.id };
    const sentinel = new SentinelClient(app, { projectId: till.id, bearer: ada.bearer } as Owner);
    const steady = { events: 20, event: 'order.placed', latencyMs: 120, endpoint: '/checkout' };
    await sentinel.put(-DAYS * BUCKETS_OF_A_DAY, -2, steady);
    await sentinel.put(-1, -1, { ...steady, errors: 14 });
    await sentinel.put(0, 0, { ...steady, events: 260 });
    await sentinel.count();
    await sentinel.watchFrom(-1);
    const { items } = await eventually(
      async () => {
        await sentinel.judge();
        return ada.get('/v1/sentinel/findings', { ...of, status: 'open' });
      },
      ({ total }) => total === 2,
    );
    expect(items.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['error_burst', 'rate_spike']);

    const [spike, burst] = [...items].sort((a, b) => (a.kind < b.kind ? 1 : -1));
    const evidence = await ada.get(`/v1/sentinel/findings/${burst.id}`);
    expect(evidence).toMatchObject({ kind: 'error_burst', severity: 'critical' });
    expect((await ada.get('/v1/sentinel/overview', of)).open_findings.total).toBe(2);
    const seen = await grace.post(`/v1/sentinel/findings/${burst.id}/acknowledge`, { note: 'The bank is slow' });
    expect(seen.acknowledged_by).toBe(grace.id);
    const dismissed = await grace.post(`/v1/sentinel/findings/${spike.id}/dismiss`, {
      reason: 'expected',
      note: 'The spring sale began',
      mute_hours: 24,
    });
    expect(dismissed.status).toBe('dismissed');
    const workers = await ada.get('/v1/sentinel/workers', of);
    expect(workers.length).toBeGreaterThan(1);
  });
}
