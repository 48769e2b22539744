import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { callerOf, createSource, ingest, setPlan, type SourceRecord, type Verb } from '../../support/sources.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface StoredEvent {
  id: string;
  event: string;
  timestamp: string;
  properties: Record<string, unknown>;
}

interface Page {
  items: StoredEvent[];
  next_before: string | null;
}

interface Stats {
  interval: string;
  from_ts: string;
  to_ts: string;
  totals: { events: number; errors: number };
  timeseries: { ts: string; events: number; errors: number }[];
}

describe('what has come of an Event Source', () => {
  let app: TestApp;
  let owner: Owner;
  let source: SourceRecord;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
    source = await createSource(app, owner);
  });

  const call = (verb: Verb, rest: string, id = source.id) =>
    callerOf(app, `/v1/ingest-sources/${id}`, owner)(verb, rest);
  const read = async <Answer>(rest: string, id = source.id): Promise<Answer> =>
    (await call('get', rest, id).expect(200)).body as Answer;

  /** Counts of an hour as ingestion keeps them. */
  const counted = (hour: Date, events: number, errors = 0, of = { sourceId: source.id, event: 'a' }) =>
    app.rows(
      `INSERT INTO event_facet_hours (project_id, hour, event, source_id, events, errors)
       VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, $4, $5, $6)`,
      [owner.projectId, hour, of.event, of.sourceId, events, errors],
    );
  const lastSeen = (at: Date) =>
    app.rows(
      `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
       VALUES ($1, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date, 1, $3)`,
      [owner.projectId, source.id, at],
    );
  const refused = (at: Date, count: number) =>
    app.rows(
      `INSERT INTO ingestion_failures
         (api_key_id, hour, reason_code, status_code, project_id, source_id, occurred_at, count)
       VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), 'limit_exceeded', 403, $3, $4, $2, $5)`,
      [source.key.id, at, owner.projectId, source.id, count],
    );
  /** Raw rows, with times and ids of the test's choice. */
  const stored = async (
    events: { at: Date; id?: string; properties?: object; event?: string; sourceId?: string }[],
  ) => {
    for (const { at, id = randomUUID(), properties = {}, event = 'a', sourceId = source.id } of events)
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method,
                             log_endpoint, log_status, log_latency_ms, created_at)
         VALUES ($1, $2, $3, $4, $5, 'shop', $6, 'EVENT', '/', 200, 0, now())`,
        [owner.projectId, at, id, sourceId, event, JSON.stringify(properties)],
      );
  };

  describe('in stats', () => {
    it('is its volume by hour or day with zeroes, and nobody else’s', async () => {
      const now = Date.now();
      const other = await createSource(app, owner);
      await counted(new Date(now), 5, 1);
      await counted(new Date(now), 2, 2, { sourceId: source.id, event: 'b' });
      await counted(new Date(now - 2 * HOUR_MS), 3);
      await counted(new Date(now - 3 * DAY_MS), 11);
      await counted(new Date(now - 20 * DAY_MS), 13);
      await counted(new Date(now - 40 * DAY_MS), 17);
      await counted(new Date(now + 2 * DAY_MS), 19);
      await counted(new Date(now), 23, 0, { sourceId: other.id, event: 'a' });

      for (const [query, interval, length, events] of [
        ['', 'hour', 25, 10],
        ['?range=24h&interval=day', 'day', 2, 10],
        ['?range=7d', 'day', 8, 21],
        ['?range=7d&interval=hour', 'hour', 169, 21],
        ['?range=30d', 'day', 31, 34],
      ] as const) {
        const stats = await read<Stats>(`/stats${query}`);
        expect([query, stats.interval, stats.timeseries.length]).toEqual([query, interval, length]);
        expect([query, stats.totals]).toEqual([query, { events, errors: 3 }]);
        expect(stats.timeseries.reduce((sum, one) => sum + one.events, 0)).toBe(events);
        expect(stats.from_ts).toBe(stats.timeseries[0]?.ts);
        const step = interval === 'hour' ? HOUR_MS : DAY_MS;
        stats.timeseries.forEach(({ ts }, index) =>
          expect(Date.parse(ts)).toBe(Date.parse(stats.from_ts) + index * step),
        );
        expect(Date.parse(stats.to_ts)).toBe(Date.parse(stats.from_ts) + length * step);
      }
      expect((await read<Stats>('/stats')).timeseries.at(-1)).toMatchObject({ events: 7, errors: 3 });
    });

    it.each(['range=1y', 'range=', 'interval=minute', 'range=15m'])('refuses %s', async (query) => {
      await call('get', `/stats?${query}`).expect(422);
    });
  });

  describe('in stats and health', () => {
    it('are events and refusals as ingestion counts them', async () => {
      const { key } = source.key;
      await ingest(app, key, { properties: { status_code: 503 } }).expect(200);
      await ingest(app, key, { timestamp: new Date(Date.now() - 2 * HOUR_MS).toISOString() }).expect(200);
      await ingest(app, owner.apiKey).expect(200);
      await app.rows('UPDATE organizations SET events_per_month_limit = 3 WHERE id = $1', [owner.organizationId]);
      await ingest(app, key).expect(403, { detail: 'Monthly quota exceeded (events)' });
      await ingest(app, owner.apiKey).expect(403);
      const { totals, timeseries } = await read<Stats>('/stats');
      expect(totals).toEqual({ events: 2, errors: 1 });
      expect(timeseries.filter(({ events }) => events > 0)).toEqual([
        { ts: expect.any(String), events: 1, errors: 0 },
        { ts: expect.any(String), events: 1, errors: 1 },
      ]);
      const health = await read<Record<string, unknown>>('/health');
      expect(health).toMatchObject({
        status: 'healthy',
        events_last_24h: 2,
        failures_last_24h: 1,
        failure_rate: 1 / 3,
      });
      expect(await read('/failures')).toMatchObject({
        items: [{ api_key_id: source.key.id, reason_code: 'limit_exceeded', status_code: 403, count: 1 }],
        total: 1,
      });
    });
  });

  describe('in health', () => {
    const health = (): Promise<Record<string, unknown>> => read('/health');

    it('is never seen, healthy, quiet, failing and disabled, the first that holds', async () => {
      const now = Date.now();
      const nothing = {
        source_id: source.id,
        status: 'never_seen',
        is_enabled: true,
        last_event_at: null,
        events_last_24h: 0,
        failures_last_24h: 0,
        failure_rate: 0,
        active_keys: 1,
      };
      expect(await health()).toEqual(nothing);

      const at = new Date(now - 30 * HOUR_MS);
      await lastSeen(at);
      await counted(at, 4);
      expect(await health()).toEqual({ ...nothing, status: 'quiet', last_event_at: at.toISOString() });

      await lastSeen(new Date(now));
      await counted(new Date(now), 6);
      const healthy = {
        ...nothing,
        status: 'healthy',
        last_event_at: new Date(now).toISOString(),
        events_last_24h: 6,
      };
      // Thirty hours ago may have been on the same day as now, or on another one.
      expect(await health()).toEqual(healthy);

      await refused(new Date(now - 26 * HOUR_MS), 100);
      expect(await health()).toEqual(healthy);
      await refused(new Date(now - HOUR_MS), 2);
      expect(await health()).toEqual({ ...healthy, failures_last_24h: 2, failure_rate: 0.25 });
      await refused(new Date(now), 4);
      expect(await health()).toEqual({ ...healthy, status: 'failing', failures_last_24h: 6, failure_rate: 0.5 });

      await call('post', '/disable').expect(200);
      expect(await health()).toMatchObject({ status: 'disabled', is_enabled: false });
      await call('post', '/enable').expect(200);
      await app.rows('DELETE FROM ingestion_failures WHERE source_id = $1', [source.id]);
      await call('post', `/keys/${source.key.id}/revoke`).expect(200);
      expect(await health()).toMatchObject({ status: 'failing', active_keys: 0 });
    });
  });

  describe('in events', () => {
    it('are the events by its keys, newest first, page by page, each once', async () => {
      const other = await createSource(app, owner);
      const base = Date.UTC(2026, 4, 1);
      const ids = Array.from({ length: 25 }, () => randomUUID());
      // Several of one instant, and over months and the default partition.
      await stored(
        ids.map((id, index) => ({ id, at: new Date(base + (index % 5) * 1000 - (index % 3) * 40 * DAY_MS) })),
      );
      await stored([{ at: new Date(base), sourceId: other.id }]);
      await ingest(app, owner.apiKey).expect(200);
      await ingest(app, source.key.key, { event_type: 'newest', event_id: 'x-1', properties: { a: 1 } }).expect(200);

      const all = await read<Page>('/events?limit=500');
      expect(all.next_before).toBeNull();
      expect(all.items).toHaveLength(26);
      expect(all.items[0]).toEqual({
        id: expect.any(String),
        project_id: owner.projectId,
        source_id: source.id,
        api_key_id: source.key.id,
        event: 'newest',
        source: 'shop',
        severity: null,
        status: null,
        environment: null,
        message: null,
        external_event_id: 'x-1',
        properties: { a: 1, source: 'shop', event_id: 'x-1' },
        timestamp: expect.stringMatching(/Z$/),
        created_at: expect.stringMatching(/Z$/),
      });
      const order = all.items.map(({ timestamp, id }) => `${timestamp} ${id}`);
      expect(order).toEqual([...order].sort().reverse());

      for (const limit of [1, 7, 13, 26]) {
        const seen: string[] = [];
        let before: string | null = '';
        while (before !== null) {
          const page: Page = await read(`/events?limit=${limit}${before === '' ? '' : `&before=${before}`}`);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items.map(({ id }) => id));
          before = page.next_before;
        }
        expect(seen).toEqual(all.items.map(({ id }) => id));
      }
      expect((await read<Page>('/events')).items).toHaveLength(26);
      for (const query of ['limit=0', 'limit=501', 'before=', 'before=nope', 'before=2026-01-01T00:00:00Z'])
        await call('get', `/events?${query}`).expect(422);
    });

    it('are found along their own index, however busy the project is', async () => {
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method,
                             log_endpoint, log_status, log_latency_ms, created_at)
         SELECT $1, now() - n * interval '1 second', gen_random_uuid(), CASE WHEN n % 4000 = 0 THEN $2::uuid END, 'a',
                'shop', '{}', 'EVENT', '/', 200, 0, now() FROM generate_series(1, 20000) n`,
        [owner.projectId, source.id],
      );
      await app.rows('ANALYZE events');
      for (const before of ['', `AND "timestamp" <= now() AND ("timestamp", id) < (now(), gen_random_uuid())`]) {
        const plan = await app.rows<{ 'QUERY PLAN': string }>(
          `EXPLAIN (COSTS OFF) SELECT id, properties FROM events WHERE project_id = $1 AND source_id = $2 ${before}
           ORDER BY "timestamp" DESC, id DESC LIMIT 51`,
          [owner.projectId, source.id],
        );
        const text = plan.map((line) => line['QUERY PLAN']).join('\n');
        expect(text).toMatch(/events_\d{4}_\d\d_project_id_source_id_timestamp/);
      }
      expect((await read<Page>('/events')).items).toHaveLength(5);
    });
  });

  describe('in its schema', () => {
    it('are types and paths of a sample of the newest events', async () => {
      expect(await read('/schema')).toEqual({
        source_id: source.id,
        sampled_events: 0,
        from_ts: null,
        to_ts: null,
        event_types: [],
      });
      const base = Date.UTC(2026, 4, 1);
      await stored([
        { at: new Date(base), event: 'order.paid', properties: { amount: 1, lines: [{ sku: 'a' }] } },
        { at: new Date(base + 1000), event: 'order.paid', properties: { amount: null } },
        { at: new Date(base + 2000), event: 'order.paid', properties: { amount: 2 } },
        { at: new Date(base + 3000), event: 'login', properties: {} },
      ]);
      expect(await read('/schema')).toEqual({
        source_id: source.id,
        sampled_events: 4,
        from_ts: new Date(base).toISOString(),
        to_ts: new Date(base + 3000).toISOString(),
        event_types: [
          {
            event: 'order.paid',
            events: 3,
            last_seen_at: new Date(base + 2000).toISOString(),
            truncated: false,
            properties: [
              {
                path: 'amount',
                events: 3,
                types: [
                  { type: 'number', events: 2 },
                  { type: 'null', events: 1 },
                ],
              },
              { path: 'lines', events: 1, types: [{ type: 'array', events: 1 }] },
              { path: 'lines[]', events: 1, types: [{ type: 'object', events: 1 }] },
              { path: 'lines[].sku', events: 1, types: [{ type: 'string', events: 1 }] },
            ],
          },
          {
            event: 'login',
            events: 1,
            last_seen_at: new Date(base + 3000).toISOString(),
            truncated: false,
            properties: [],
          },
        ],
      });
    });

    it('are bounded in events and in bytes', async () => {
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method,
                             log_endpoint, log_status, log_latency_ms, created_at)
         SELECT $1, now() - n * interval '1 second', gen_random_uuid(), $2, 'a', 'shop', '{"small": true}', 'EVENT',
                '/', 200, 0, now() FROM generate_series(1, 600) n`,
        [owner.projectId, source.id],
      );
      expect(await read('/schema')).toMatchObject({ sampled_events: 500 });
      const large = { text: 'x'.repeat(3 * 1024 * 1024) };
      await stored([{ at: new Date(Date.now() + 1000), properties: large }]);
      const sampled = (await read<{ sampled_events: number }>('/schema')).sampled_events;
      expect(sampled).toBe(500);
      await stored([{ at: new Date(Date.now() + 2000), properties: large }]);
      expect(await read('/schema')).toMatchObject({ sampled_events: 1 });
      await stored([{ at: new Date(Date.now() + 3000), properties: { text: 'x'.repeat(5 * 1024 * 1024) } }]);
      expect(await read('/schema')).toMatchObject({ sampled_events: 1 });
    });
  });

  describe('is a test event', () => {
    it('which goes the way of every event, without a key', async () => {
      const sent = (await call('post', '/test').expect(200)).body as Record<string, string>;
      expect(sent).toEqual({
        accepted: true,
        project_id: owner.projectId,
        source_id: source.id,
        ingested_event_id: expect.any(String),
        event_type: 'source.test',
        timestamp: expect.stringMatching(/Z$/),
      });
      const { items } = await read<Page>('/events');
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        id: sent.ingested_event_id,
        event: 'source.test',
        source: 'Checkout',
        source_id: source.id,
        api_key_id: null,
        severity: 'info',
        timestamp: sent.timestamp,
        properties: { test: true },
      });
      expect((await read<Stats>('/stats')).totals).toEqual({ events: 1, errors: 0 });
      expect(await read('/health')).toMatchObject({
        status: 'healthy',
        events_last_24h: 1,
        last_event_at: expect.stringMatching(/Z$/),
      });
      await call('delete', '').expect(409);
      expect(
        await app.rows('SELECT api_key_id, events_ingested::int FROM usage_daily WHERE project_id = $1', [
          owner.projectId,
        ]),
      ).toEqual([{ api_key_id: null, events_ingested: 1 }]);
    });

    it('which is refused where events are: by a disabled source and an archived project', async () => {
      await call('post', '/disable').expect(200);
      await call('post', '/test').expect(403, { detail: 'Event source is disabled' });
      await call('post', '/enable').expect(200);
      await callerOf(app, `/v1/projects/${owner.projectId}`, owner)('post', '/archive').expect(200);
      await call('post', '/test').expect(403, { detail: 'Project is archived' });
      expect((await read<Page>('/events')).items).toEqual([]);
    });

    it('which needs an allowance of the organization', async () => {
      const organization = (change: string) =>
        app.rows(`UPDATE organizations SET ${change} WHERE id = $1`, [owner.organizationId]);
      await organization('events_per_month_limit = 1');
      await call('post', '/test').expect(200);
      await call('post', '/test').expect(403, { detail: 'Monthly quota exceeded (events)' });
      await organization(`billing_status = 'blocked'`);
      await call('post', '/test').expect(403, { detail: 'Blocked by billing enforcement.' });
      // No key was refused, so no key has a failure.
      expect(await read('/failures')).toMatchObject({ items: [] });
    });

    it('which takes an admin', async () => {
      const operator = await addMember(app, owner, 'operator');
      await callerOf(
        app,
        `/v1/ingest-sources/${source.id}`,
        operator,
      )('post', '/test').expect(403, {
        detail: 'Insufficient project role',
      });
    });
  });
});
