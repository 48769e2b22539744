import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import pg from 'pg';
import { RetainedEvents } from '../../../src/modules/events/event-store/index.js';
import { PastMonthsReader } from '../../../src/modules/events/event-store/retention/past-months.reader.js';
import { RetentionMaintenance } from '../../../src/modules/events/event-store/retention/retention-maintenance.js';
import { TimeRangeResolver } from '../../../src/modules/events/time-ranges/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/delivery.js';
import { makeMonths, monthOf, tableOf } from '../../support/event-months.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { story } from '../../support/story.js';

const TOKEN = 'maintenance-of-the-tests';
const DAY_MS = 86_400_000;
const LONG_AGO = '2001-02-03T04:05:06.789Z';

const it = story();

describe('The retention of events', () => {
  /** Of the month that began last, of those that are older than 30 days in part. */
  const retainedFrom = monthOf(new Date(Date.now() - 30 * DAY_MS));
  const before = new Date(retainedFrom.getTime() - 1);
  const month = tableOf(monthOf(before));
  let database: TestDatabase;
  let app: TestApp;
  /** Another process, whose environment says how long. */
  let keeping: TestApp;
  let owner: Owner;
  let allKnow = false;

  const open = async (env: Record<string, string>): Promise<TestApp> => {
    const opened = await createApiApp({ databaseUrl: database.url, env: { INTERNAL_JOB_TOKEN: TOKEN, ...env } });
    if (allKnow) know(opened);
    return opened;
  };
  const know = ({ nest }: TestApp): void => void (nest.get(RetainedEvents, { strict: false }).announced.forMs = 0);

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await open({});
    owner = await ownerWithProject(app);
    await makeMonths(app, [monthOf(before)]);
  });
  afterAll(async () => {
    await app.close();
    await keeping.close();
    await database.drop();
  });

  const ingest = async (timestamp: string, event = 'paid', of = owner): Promise<string> => {
    const { body } = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', of.apiKey)
      .send({ event_type: event, source: 'shop', timestamp, payload: { n: 1, latency_ms: 5 } })
      .expect(200);
    return (body as { ingested_event_id: string }).ingested_event_id;
  };
  const get = async (path: string, status = 200): Promise<Json> =>
    (await app.request().get(path).set('Authorization', owner.bearer).expect(status)).body;
  const maintain = (of: TestApp = app) =>
    of.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
  const stored = async (): Promise<string[]> =>
    (await app.rows<{ at: Date }>('SELECT "timestamp" AS at FROM events ORDER BY 1')).map(({ at }) => at.toISOString());
  const months = async (): Promise<string[]> =>
    (
      await app.rows<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1`,
      )
    ).map(({ name }) => name);
  /** As if every process had had the time to know. */
  const whenAllKnow = (): void => {
    allKnow = true;
    [app, keeping].forEach(know);
  };
  const ended: string[] = [];
  const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

  it('keeps all events until a round of maintenance has set the limit', async () => {
    ended.push(await ingest(LONG_AGO, 'old'), await ingest(before.toISOString(), 'old'));
    await ingest(retainedFrom.toISOString());
    await ingest(ago(0));
    expect(await get(`/v1/projects/${owner.projectId}/events?range=all`)).toMatchObject({
      total: 4,
      from_ts: '1970-01-01T00:00:00.000Z',
    });
  });

  it('ends no events while the clock of a process has jumped forward', async () => {
    keeping = await open({ EVENT_RETENTION_DAYS: '30' });
    // The round by the right clock is as old as none.
    for (const jumped of [monthOf(new Date(), 24), monthOf(new Date(), 1), retainedFrom]) {
      const clock = jest
        .spyOn(keeping.nest.get(PastMonthsReader, { strict: false }), 'before')
        .mockResolvedValue(jumped);
      await keeping.nest.get(RetentionMaintenance, { strict: false }).maintain();
      expect(clock).toHaveBeenCalled();
      clock.mockRestore();
    }
    expect(await app.rows('SELECT * FROM event_retention')).toEqual([]);
    expect(await stored()).toHaveLength(4);
  });

  it('leaves events past the limit out of every answer while they are still stored', async () => {
    const maintenance = keeping.nest.get(RetentionMaintenance, { strict: false });
    maintenance.due.forMs = 0;
    await maintenance.maintain();
    // As a minute later.
    app.nest.get(RetainedEvents, { strict: false }).forget();
    expect(await stored()).toHaveLength(4);
    const { projectId } = owner;
    const from = retainedFrom.toISOString();
    const asked = `project_id=${projectId}&range=all`;
    const page = await get(`/v1/projects/${projectId}/events?range=all`);
    expect(page).toMatchObject({ total: 2, from_ts: from, has_more: false });
    expect(page.items).toHaveLength(2);
    expect(
      await get(`/v1/projects/${projectId}/events?from_ts=2000-01-01T00:00:00Z&to_ts=2002-01-01T00:00:00Z`),
    ).toMatchObject({ total: 0, items: [], from_ts: '2002-01-01T00:00:00.000Z', to_ts: '2002-01-01T00:00:00.000Z' });
    expect(await get(`/v1/projects/${projectId}/events/facets?range=all`)).toMatchObject({
      facets: { event: [{ value: 'paid', count: 2 }] },
    });
    expect(await get(`/v1/logs?${asked}`)).toHaveLength(2);
    expect(await get(`/v1/events/counts?${asked}`)).toMatchObject({ total_events: 2, from_ts: from });
    expect(await get(`/v1/events/names?${asked}`)).toEqual([{ event: 'paid', total: 2 }]);
    expect(await get(`/v1/analytics/overview?${asked}`)).toMatchObject({
      from_ts: from,
      totals: { events: 2 },
    });
    expect(await get(`/v1/performance/summary?${asked}`)).toMatchObject({ from_ts: from, requests: 2 });
    const { text } = await app
      .request()
      .post(`/v1/projects/${projectId}/events/export`)
      .set('Authorization', owner.bearer)
      .send({ format: 'csv', range: 'all' })
      .buffer(true)
      .expect(200);
    expect(text.trim().split('\n')).toHaveLength(3);
    const { body } = await app
      .request()
      .post('/v1/eql')
      .set('Authorization', owner.bearer)
      .send({ project_id: projectId, query: 'any where true', range: 'all' })
      .expect(200);
    expect(body).toMatchObject({ from_ts: from, scanned: 2 });
  });

  it('aborts an export whose events end in the middle of it', async () => {
    const windows = app.nest.get(TimeRangeResolver, { strict: false });
    const kept = jest.spyOn(windows, 'of').mockResolvedValueOnce({ from: new Date(0), to: new Date() });
    const exported = app
      .request()
      .post(`/v1/projects/${owner.projectId}/events/export`)
      .set('Authorization', owner.bearer)
      .send({ format: 'csv', range: 'all' })
      .buffer(true);
    await expect(exported).rejects.toThrow('aborted');
    kept.mockRestore();
  });

  it('leaves out the comparison with an earlier window that is not kept', async () => {
    const whole = await get(`/v1/analytics/overview?project_id=${owner.projectId}&range=24h`);
    expect(whole).toMatchObject({ totals: { events: 1 }, previous: { events: 0 } });
    const days = Math.floor((Date.now() - retainedFrom.getTime()) / DAY_MS) - 1;
    const cut = await get(`/v1/analytics/overview?project_id=${owner.projectId}&from_ts=${ago(days)}`);
    expect(cut).toMatchObject({ totals: { events: 1 }, previous: null, change: null });
    const requests = await get(`/v1/performance/summary?project_id=${owner.projectId}&from_ts=${ago(days)}`);
    expect(requests).toMatchObject({ requests: 1, previous: null });
  });

  it('skips a month that it cannot lock, and keeps nobody waiting', async () => {
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    try {
      await reader.query('BEGIN');
      await reader.query('SELECT count(*) FROM events');
      whenAllKnow();
      await maintain();
      expect(await months()).toContain(month);
      // A round may be run by either process.
      const lines = [...app.logLines, ...keeping.logLines];
      expect(lines.some((line) => line.includes(`${month} was not dropped`))).toBe(true);
      await ingest(ago(0));
    } finally {
      await reader.end();
    }
  });

  it('drops a month as a whole, and deletes events without a month one by one', async () => {
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, $2::timestamptz + n * interval '1 second', gen_random_uuid(), 'old', repeat('s', 200), '{}', 'GET', '/', 200, 0, false, now()
       FROM generate_series(1, 30000) AS n`,
      [owner.projectId, LONG_AGO],
    );
    // Nothing is left of it but its counters.
    const quiet = await ownerWithProject(app);
    await ingest(LONG_AGO, 'old', quiet);
    const second = await open({});
    try {
      // A round takes what it can within its time.
      await eventually(
        async () => {
          await maintain(second);
          return months();
        },
        (left) => !left.includes(month),
      );
      expect(await stored()).toEqual([retainedFrom.toISOString(), expect.any(String), expect.any(String)]);
      const { body: health } = await app
        .request()
        .get(`/v1/projects/${quiet.projectId}/health`)
        .set('Authorization', quiet.bearer);
      expect(health).toMatchObject({
        status: 'quiet',
        last_event_at: '2001-02-03T04:00:00.000Z',
        onboarding: { has_event: true, completed: true },
      });
      for (const id of ended) await get(`/v1/projects/${owner.projectId}/events/${id}`, 404);
      expect((await get(`/v1/events?project_id=${owner.projectId}`)).items).toHaveLength(3);
    } finally {
      await second.close();
    }
  });

  it('leaves ended events counted, metered and part of the quota', async () => {
    const [row] = await app.rows<{ events: number }>(
      'SELECT sum(events)::int AS events FROM organization_months WHERE organization_id = $1',
      [owner.organizationId],
    );
    expect(row).toEqual({ events: 5 });
    const [counted] = await app.rows<{ events: number }>(
      'SELECT sum(events)::int AS events FROM event_hours WHERE project_id = $1',
      [owner.projectId],
    );
    expect(counted).toEqual({ events: 5 });
    const month = await get(`/v1/usage?project_id=${owner.projectId}&period=30d`);
    expect(month.total_events).toBeGreaterThanOrEqual(2);
  });

  it('creates no dropped month again, and does not compare the counters of its events', async () => {
    await maintain();
    await maintain();
    expect(await months()).not.toContain(month);
    expect([...app.logLines, ...keeping.logLines].filter((line) => line.includes('counters differ'))).toEqual([]);
  });

  it('accepts late events past the limit, and ends them in the next round', async () => {
    const id = await ingest(LONG_AGO, 'late');
    await get(`/v1/projects/${owner.projectId}/events/${id}`);
    const later = await open({});
    try {
      await maintain(later);
      await get(`/v1/projects/${owner.projectId}/events/${id}`, 404);
    } finally {
      await later.close();
    }
  });

  it('keeps its limit when more days are configured later', async () => {
    const later = await open({ EVENT_RETENTION_DAYS: '400' });
    try {
      const maintenance = later.nest.get(RetentionMaintenance, { strict: false });
      maintenance.due.forMs = 0;
      await maintenance.maintain();
      const [row] = await app.rows<{ from: Date }>('SELECT retained_from AS from FROM event_retention');
      expect(row?.from).toEqual(retainedFrom);
    } finally {
      await later.close();
    }
  });
});
