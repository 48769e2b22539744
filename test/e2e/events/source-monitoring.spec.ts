import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { createSource, ingest, type SourceRecord, type Verb } from '../../support/sources-api.js';
import { sourceDay } from '../../support/sql-builders/entitlement.js';
import {
  blockByBilling,
  countedHour,
  deleteRefusals,
  meteredUsage,
  refusals,
  setMonthlyEventLimit,
} from '../../support/sql-builders/event-lists.js';
import { insertEvents } from '../../support/sql-builders/event-rows.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';
import { utcDay, withinAnHour } from '../../support/utc-day.js';

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

describe('an Event Source', () => {
  let acme: Tenant;
  let source: SourceRecord;

  beforeEach(async () => {
    acme = await tenant();
    await setPlan(acme.organizationId, 'scale');
    source = await createSource(acme);
  });

  const call = (verb: Verb, rest: string, account: Account = acme.owner) =>
    api.as(account)[verb](`/v1/ingest-sources/${source.id}${rest}`);
  const read = async <Answer>(rest: string): Promise<Answer> => (await call('get', rest).expect(200)).body as Answer;
  const send = (body: object = {}) => ingest(source.key.key, body);

  /** Counts events of the source as ingestion counts them. */
  const counted = (at: Date, events: number, of: { errors?: number; event?: string } = {}) =>
    countedHour({ projectId: acme.projectId, sourceId: source.id, at, events, ...of });
  const lastSeen = (at: Date) =>
    sourceDay({
      projectId: acme.projectId,
      sourceId: source.id,
      day: at.toISOString().slice(0, 10),
      lastEventAt: at.toISOString(),
    });
  const refused = (at: Date, count: number) =>
    refusals({ projectId: acme.projectId, sourceId: source.id, keyId: source.key.id, at, count });
  /** Stores events of the source with the times and ids that a test needs. */
  const stored = (events: { at: Date; id?: string; properties?: Record<string, unknown>; event?: string }[]) =>
    insertEvents(
      acme.projectId,
      events.map(({ at, id = randomUUID(), properties = {}, event = 'a' }) => ({
        id,
        timestamp: at,
        source_id: source.id,
        source: 'shop',
        event,
        properties,
      })),
    );

  describe('a read of source statistics', () => {
    it('returns the volume of the source by hour or day, with zeroes', async () => {
      await withinAnHour();
      const now = Date.now();
      const other = await createSource(acme);
      await counted(new Date(now), 5, { errors: 1 });
      await counted(new Date(now), 2, { errors: 2, event: 'b' });
      await counted(new Date(now - 2 * HOUR_MS), 3);
      await counted(new Date(now - 3 * DAY_MS), 11);
      await counted(new Date(now - 20 * DAY_MS), 13);
      await counted(new Date(now - 40 * DAY_MS), 17);
      await counted(new Date(now + 2 * DAY_MS), 19);
      await countedHour({ projectId: acme.projectId, sourceId: other.id, at: new Date(now), events: 23 });

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

    it.each(['range=1y', 'range=', 'interval=minute', 'range=15m'])('returns 422 with the query %s', async (query) => {
      await call('get', `/stats?${query}`).expect(422);
    });

    it('counts what ingestion accepts and refuses, as the health of the source does', async () => {
      await utcDay();
      await send({ properties: { status_code: 503 } }).expect(200);
      await send({ timestamp: new Date(Date.now() - 2 * HOUR_MS).toISOString() }).expect(200);
      await ingest(acme.key.apiKey).expect(200);
      await setMonthlyEventLimit(acme.organizationId, 3);
      await send().expect(403, { detail: 'Monthly quota exceeded (events)' });
      await ingest(acme.key.apiKey).expect(403);
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

  describe('the health of a source', () => {
    const health = (): Promise<Record<string, unknown>> => read('/health');

    it('is never seen, quiet, healthy, failing and disabled in turn', async () => {
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
      await deleteRefusals(source.id);
      await call('post', `/keys/${source.key.id}/revoke`).expect(200);
      expect(await health()).toMatchObject({ status: 'failing', active_keys: 0 });
    });
  });

  describe('the list of events of a source', () => {
    it('shows the events of the keys of its source page by page, the newest first and each once', async () => {
      const other = await createSource(acme);
      const base = Date.UTC(2026, 4, 1);
      const ids = Array.from({ length: 25 }, () => randomUUID());
      // Several events share an instant. They lie in several months, and in the default partition.
      await stored(
        ids.map((id, index) => ({ id, at: new Date(base + (index % 5) * 1000 - (index % 3) * 40 * DAY_MS) })),
      );
      await insertEvents(acme.projectId, [{ timestamp: new Date(base), source_id: other.id }]);
      await ingest(acme.key.apiKey).expect(200);
      await send({ event_type: 'newest', event_id: 'x-1', properties: { a: 1 } }).expect(200);

      const all = await read<Page>('/events?limit=500');
      expect(all.next_before).toBeNull();
      expect(all.items).toHaveLength(26);
      expect(all.items[0]).toEqual({
        id: expect.any(String),
        project_id: acme.projectId,
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
    });

    it.each(['limit=0', 'limit=501', 'before=', 'before=nope', 'before=2026-01-01T00:00:00Z'])(
      'returns 422 with the query %s',
      async (query) => {
        await call('get', `/events?${query}`).expect(422);
      },
    );
  });

  describe('the schema of a source', () => {
    it('shows the types and paths of the properties of the newest events', async () => {
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

    it('comes from at most 500 events, and from no more than fit into its bound of bytes', async () => {
      const now = Date.now();
      const small = Array.from({ length: 600 }, (_, index) => new Date(now - (index + 1) * 1000));
      await stored(small.map((at) => ({ at, properties: { small: true } })));
      expect(await read('/schema')).toMatchObject({ sampled_events: 500 });
      const large = { text: 'x'.repeat(3 * 1024 * 1024) };
      await stored([{ at: new Date(now + 1000), properties: large }]);
      expect(await read('/schema')).toMatchObject({ sampled_events: 500 });
      await stored([{ at: new Date(now + 2000), properties: large }]);
      expect(await read('/schema')).toMatchObject({ sampled_events: 1 });
      await stored([{ at: new Date(now + 3000), properties: { text: 'x'.repeat(5 * 1024 * 1024) } }]);
      expect(await read('/schema')).toMatchObject({ sampled_events: 1 });
    });
  });

  describe('a test event of a source', () => {
    it('is stored, shown and counted like any other event, without a key', async () => {
      const sent = (await call('post', '/test').expect(200)).body as Record<string, string>;
      expect(sent).toEqual({
        accepted: true,
        project_id: acme.projectId,
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
      expect(await meteredUsage(acme.projectId)).toMatchObject([{ api_key_id: null, events: 1 }]);
    });

    it('is refused while the source is disabled or the project is archived', async () => {
      await call('post', '/disable').expect(200);
      await call('post', '/test').expect(403, { detail: 'Event source is disabled' });
      await call('post', '/enable').expect(200);
      await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
      await call('post', '/test').expect(403, { detail: 'Project is archived' });
      expect((await read<Page>('/events')).items).toEqual([]);
    });

    it('is refused when the organization has no allowance left, and is no failure of a key', async () => {
      await utcDay();
      await setMonthlyEventLimit(acme.organizationId, 1);
      await call('post', '/test').expect(200);
      await call('post', '/test').expect(403, { detail: 'Monthly quota exceeded (events)' });
      await blockByBilling(acme.organizationId);
      await call('post', '/test').expect(403, { detail: 'Blocked by billing enforcement.' });
      expect(await read('/failures')).toMatchObject({ items: [] });
    });

    it('is refused when an operator sends it', async () => {
      await call('post', '/test', await acme.operator()).expect(403, { detail: 'Insufficient project role' });
    });
  });
});
