import { DiscoveryService } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryCounts, type DeliveryTotals, OpenAlerts } from '../../../src/modules/events/dashboard/index.js';
import { RelatedAlerts, type WrittenAlerts } from '../../../src/modules/events/explorer/index.js';
import { writeList, writeObject } from '../../../src/platform/http/written-json.js';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const HOUR_MS = 3_600_000;

interface Dashboard {
  from_ts: string;
  to_ts: string;
  totals: Record<string, number | null>;
  timeseries: { ts: string; events: number; errors: number }[];
  top_events: { event: string; total: number }[];
  sources: { id: string; name: string; events: number; last_event_at: string | null }[];
}

const AT = '2026-01-01T00:00:00.000Z';
const ALERT = {
  id: newId(),
  alert_rule_id: null,
  rule_name: null,
  project_id: newId(),
  event_id: null,
  event_type: null,
  source: null,
  severity: 'info',
  status: 'open',
  message: 'Payment failed',
  payload: {},
  fingerprint: 'print',
  group_values: {},
  occurrences: 1,
  assignee_id: null,
  snoozed_until: null,
  created_at: AT,
  last_occurred_at: AT,
  acknowledged_at: null,
  resolved_at: null,
};

describe('the dashboard', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app, 'Tea House');
  });
  afterAll(() => app.close());

  const get = (who = owner) =>
    app.request().get(`/v1/projects/${who.projectId}/dashboard`).set('Authorization', who.bearer);
  const ingest = (key: string, body: object) =>
    app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', key)
      .send({ event_type: 'e', source: 's', ...body })
      .expect(200);
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

  it('is full of zeroes before the first event', async () => {
    const answer = await get().expect(200);
    const { from_ts, to_ts, timeseries, ...rest } = answer.body as Dashboard;
    expect(rest).toEqual({
      project_id: owner.projectId,
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

  it('sums up what happened in the last 24 hours', async () => {
    const sources = [newId(), newId()];
    const key = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, name: 'k', scopes: ['events:write'] })
      .expect(201);
    const { id: keyId, key: secret } = key.body as { id: string; key: string };
    for (const [index, name] of ['Browser', 'Server'].entries())
      await app.rows(`INSERT INTO event_sources (id, project_id, name, type) VALUES ($1, $2, $3, 'http')`, [
        sources[index],
        owner.projectId,
        name,
      ]);
    await app.rows('UPDATE api_keys SET source_id = $1 WHERE id = $2', [sources[1], keyId]);

    for (let index = 1; index <= 20; index += 1)
      await ingest(owner.apiKey, {
        event_type: `e${index % 12}`,
        timestamp: ago(index * HOUR_MS),
        payload: { latency_ms: index * 10 },
      });
    await ingest(secret, { event_type: 'failing', status: 'failed', timestamp: ago(1) });
    await ingest(secret, { event_type: 'failing', severity: 'critical', timestamp: ago(2) });
    await ingest(owner.apiKey, { event_type: 'old', status: 'failed', timestamp: ago(25 * HOUR_MS) });
    await ingest(owner.apiKey, { event_type: 'ahead', timestamp: ago(-HOUR_MS) });

    const dashboard = (await get().expect(200)).body as Dashboard & Record<string, unknown>;
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
      { id: sources[1], name: 'Server', events: 2, last_event_at: expect.stringMatching(/Z$/) },
      { id: sources[0], name: 'Browser', events: 0, last_event_at: null },
    ]);
    expect(dashboard.usage).toEqual({ events_used: 24, events_limit: 10_000 });
  });

  it('asks whoever raises alerts and delivers', async () => {
    class Alerts extends OpenAlerts {
      countOpen(): Promise<number> {
        return Promise.resolve(3);
      }
    }
    class Deliveries extends DeliveryCounts {
      count(): Promise<DeliveryTotals> {
        return Promise.resolve({ sent: 5, failed: 2, dlq: 1 });
      }
    }
    class Related extends RelatedAlerts {
      ofEvent(_: unknown, eventId: string): Promise<WrittenAlerts> {
        return Promise.resolve({ list: writeList([writeObject({ ...ALERT, event_id: eventId })]), bytes: 0 });
      }
    }
    const discovery = app.nest.get(DiscoveryService, { strict: false });
    const known = discovery.getProviders();
    const added = [new Alerts(), new Deliveries(), new Related()].map((instance) => ({ instance }));
    discovery.getProviders = () => [...(added as unknown as typeof known), ...known];

    expect((await get().expect(200)).body).toMatchObject({
      open_alerts: 3,
      deliveries: { sent: 5, failed: 2, dlq: 1 },
    });
    const { body } = await ingest(owner.apiKey, {});
    const eventId = (body as { ingested_event_id: string }).ingested_event_id;
    const detail = await app
      .request()
      .get(`/v1/projects/${owner.projectId}/events/${eventId}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    expect(detail.body).toMatchObject({ id: eventId, related_alerts: [{ ...ALERT, event_id: eventId }] });
  });

  it('is open to viewers and closed to strangers', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    await get({ ...owner, bearer: viewer.bearer }).expect(200);
    const stranger = await ownerWithProject(app);
    await get({ ...owner, bearer: stranger.bearer }).expect(403, { detail: 'Not a project member' });
  });
});
