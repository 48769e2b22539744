import { expect } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { SentinelApi } from '../../../support/sentinel-api.js';
import type { Tenant } from '../../../support/service.js';
import type { Shop } from '../../../support/shop/shop.js';
import { it } from './it.js';

const DAYS = 4;
const BUCKET_MS = 300_000;
const BUCKETS_OF_A_DAY = 288;

/**
 * The bucket of now, so that findings begin before they are detected. By itself, the service judges the next bucket seven
 * minutes from now at the earliest. The bucket and the one before are on the same day of UTC.
 */
function newestBucket(): number {
  const newest = Math.floor(Date.now() / BUCKET_MS);
  return newest % BUCKETS_OF_A_DAY === 0 ? newest + 1 : newest;
}

/** What Sentinel finds in the events of the shop. */
export function watch(shop: () => Shop): void {
  it('acknowledges one finding of Sentinel, and dismisses the other', async () => {
    const { ada, grace, organizationId } = shop();
    const till = await ada.post('/v1/projects', { organization_id: organizationId, name: 'Till', slug: 'till' });
    const of = { project_id: till.id };
    const acme = { projectId: till.id, owner: ada.account } as Tenant;
    const sentinel = new SentinelApi(acme, ada.account, newestBucket());
    await sentinel.hold();
    const steady = { events: 20, event: 'order.placed', latencyMs: 120, endpoint: '/checkout' };
    await sentinel.put(-DAYS * BUCKETS_OF_A_DAY, -2, steady);
    await sentinel.put(-1, -1, { ...steady, errors: 14 });
    await sentinel.put(0, 0, { ...steady, events: 260 });
    await sentinel.count();
    await sentinel.watchFrom(-1);
    await sentinel.detect();
    const { items } = await eventually(
      () => ada.get('/v1/sentinel/findings', { ...of, status: 'open' }),
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
