import { describe, expect, it } from '@jest/globals';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { createSource } from '../../support/sources-api.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';
import { utcDay } from '../../support/utc-day.js';

const HOUR_MS = 3_600_000;

interface Dashboard {
  from_ts: string;
  to_ts: string;
  totals: Record<string, number | null>;
  timeseries: { ts: string; events: number; errors: number }[];
  top_events: { event: string; total: number }[];
  sources: { id: string; name: string; events: number; last_event_at: string | null }[];
}

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

describe('the dashboard', () => {
  const get = ({ owner, projectId }: Tenant, account: Account = owner) =>
    api.as(account).get(`/v1/projects/${projectId}/dashboard`);
  const ingest = (apiKey: string, body: object) =>
    api
      .as({ apiKey })
      .post('/v1/events/ingest', { event_type: 'e', source: 's', ...body })
      .expect(200);

  it('is full of zeroes before the first event', async () => {
    const acme = await tenant({ projectName: 'Tea House' });
    const answer = await get(acme).expect(200);
    const { from_ts, to_ts, timeseries, ...rest } = answer.body as Dashboard;
    expect(rest).toEqual({
      project_id: acme.projectId,
      project_name: 'Tea House',
      totals: { events: 0, errors: 0, error_rate: 0, p50_latency_ms: null, p95_latency_ms: null },
      top_events: [],
      sources: [],
      open_alerts: 0,
      deliveries: { sent: 0, failed: 0, dlq: 0 },
      usage: { events_used: 0, events_limit: 10_000 },
    });
    expect(Date.parse(to_ts) - Date.parse(from_ts)).toBe(24 * HOUR_MS);
    const first = Math.floor(Date.parse(from_ts) / HOUR_MS) * HOUR_MS;
    expect(timeseries.map(({ ts }) => Date.parse(ts))).toEqual(
      Array.from({ length: timeseries.length }, (_, index) => first + index * HOUR_MS),
    );
    expect([24, 25]).toContain(timeseries.length);
    expect(timeseries.every(({ events, errors }) => events === 0 && errors === 0)).toBe(true);
  });

  it('sums up the events of the last 24 hours', async () => {
    await utcDay();
    const acme = await tenant();
    // The plan free allows one source. The dashboard below shows its limit of events.
    await setPlan(acme.organizationId, 'pro');
    const [browser, server] = [
      await createSource(acme, { name: 'Browser' }),
      await createSource(acme, { name: 'Server' }),
    ];
    await setPlan(acme.organizationId, 'free');

    const { apiKey } = acme.key;
    for (let index = 1; index <= 20; index += 1)
      await ingest(apiKey, {
        event_type: `e${index % 12}`,
        timestamp: ago(index * HOUR_MS),
        payload: { latency_ms: index * 10 },
      });
    await ingest(server.key.key, { event_type: 'failing', status: 'failed', timestamp: ago(1) });
    await ingest(server.key.key, { event_type: 'failing', severity: 'critical', timestamp: ago(2) });
    await ingest(apiKey, { event_type: 'old', status: 'failed', timestamp: ago(25 * HOUR_MS) });
    await ingest(apiKey, { event_type: 'ahead', timestamp: ago(-HOUR_MS) });

    const dashboard = (await get(acme).expect(200)).body as Dashboard & Record<string, unknown>;
    expect(dashboard.totals).toEqual({
      events: 22,
      errors: 2,
      error_rate: 2 / 22,
      p50_latency_ms: 100,
      p95_latency_ms: 190,
    });
    expect(dashboard.timeseries.reduce((sum, { events }) => sum + events, 0)).toBe(22);
    expect(dashboard.timeseries.reduce((sum, { errors }) => sum + errors, 0)).toBe(2);
    expect(dashboard.top_events).toHaveLength(10);
    expect(dashboard.top_events.map(({ total }) => total)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
    expect(dashboard.top_events).toContainEqual({ event: 'failing', total: 2 });
    expect(dashboard.sources).toEqual([
      { id: server.id, name: 'Server', events: 2, last_event_at: expect.stringMatching(/Z$/) },
      { id: browser.id, name: 'Browser', events: 0, last_event_at: null },
    ]);
    expect(dashboard.usage).toEqual({ events_used: 24, events_limit: 10_000 });
  });

  it('has exact percentiles of 1 ms among more than five thousand events without a latency', async () => {
    const acme = await tenant();
    const timestamp = ago(60_000);
    const lines = (count: number, payload: object) =>
      `${JSON.stringify({ event_type: 'e', source: 's', timestamp, payload })}\n`.repeat(count);
    const send = (text: string) =>
      api.as(acme.key).post('/v1/events/ingest').type('application/x-ndjson').send(text).expect(200);
    for (let batch = 0; batch < 6; batch += 1) await send(lines(1_000, {}));
    await send(lines(5, { latency_ms: 1 }) + lines(1, { latency_ms: 40 }));
    const { totals } = (await get(acme).expect(200)).body as Dashboard;
    expect(totals).toMatchObject({ events: 6_006, p50_latency_ms: 1, p95_latency_ms: 40 });
  });

  it('is shown to viewers, and not to the owner of another project', async () => {
    const acme = await tenant();
    const [viewer, globex] = [await acme.viewer(), await tenant()];
    await get(acme, viewer).expect(200);
    await get(acme, globex.owner).expect(403, { detail: 'Not a project member' });
  });
});
