import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { createTestApp, type TestApp } from '../../support/app.js';
import { newId } from '../../../src/platform/ids/index.js';
import { utcDay } from '../../support/utc-day.js';
import { expectTrueCounters, Sender, statusesOf, tenant, type Tenant } from '../../support/ingestion.js';

const TOKEN = 'maintenance-of-the-tests';
const EVENT = { event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12 } };

/** Behind all projects that were never there. */
const LAST_GONE = '00000000-0000-4000-9000-000000000000';

describe('ingestion', () => {
  let app: TestApp;
  let sender: Sender;
  let of: Tenant;

  beforeAll(async () => {
    app = await createTestApp({ env: { INTERNAL_JOB_TOKEN: TOKEN } });
    sender = new Sender(app.url);
  });
  afterAll(async () => {
    sender.close();
    await app.close();
  });
  beforeEach(async () => {
    of = await tenant(app, { plan: 'enterprise', source: true });
  });
  afterEach(() => expectTrueCounters(app));

  const maintain = async (): Promise<number> => {
    const answer = await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
    return (answer.body as { processed: number }).processed;
  };
  /** Every counter of a project that is there is compared once at least: a round takes fifty hours, and begins anew behind the last one. */
  const compareAll = async (): Promise<void> => {
    const [row] = await app.rows<{ hours: number }>(
      `SELECT count(*)::int AS hours FROM event_hours WHERE project_id > '${LAST_GONE}'`,
    );
    for (let left = (row?.hours ?? 0) + 50; left > 0; left -= 50) await maintain();
  };
  const warnings = (): string[] => app.logLines.filter((line) => line.includes('counters differ'));

  it('forgets an idempotency key 24 hours after its request, and not before', async () => {
    const send = (key: string): ReturnType<Sender['ingest']> =>
      sender.ingest(of.apiKey, EVENT, { 'Idempotency-Key': key });
    const [old, young] = [await send('old'), await send('young')];
    for (const [key, age] of [
      ['old', '24 hours 1 minute'],
      ['young', '23 hours 59 minutes'],
    ]) {
      await app.rows(`UPDATE idempotency_records SET created_at = now() - $2::interval WHERE key = $1`, [key, age]);
    }
    // What it answers is not looked at: the round of this minute may have come first.
    await maintain();
    expect(await send('young')).toMatchObject({ status: 200, body: { ...young.body, duplicate: true } });
    const again = await send('old');
    expect(again).toMatchObject({ status: 200, body: { duplicate: false } });
    expect(again.body.ingested_event_id).not.toBe(old.body.ingested_event_id);
  });

  it('forgets refusals after 30 days', async () => {
    await app.rows(`UPDATE organizations SET billing_status = 'inactive' WHERE id = $1`, [of.organizationId]);
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(403);
    const recorded = (): Promise<object[]> =>
      app.rows('SELECT reason_code FROM ingestion_failures WHERE api_key_id = $1', [of.apiKeyId]);
    await app.rows(`UPDATE ingestion_failures SET hour = now() - interval '29 days' WHERE api_key_id = $1`, [
      of.apiKeyId,
    ]);
    await maintain();
    expect(await recorded()).toEqual([{ reason_code: 'billing_inactive' }]);
    await app.rows(`UPDATE ingestion_failures SET hour = now() - interval '31 days' WHERE api_key_id = $1`, [
      of.apiKeyId,
    ]);
    await maintain();
    expect(await recorded()).toEqual([]);
  });

  it('takes events from processes of the version before, which bring an array for each column', async () => {
    const id = newId();
    await app.rows(
      `SELECT ingest_events(
         NULL, ARRAY['active'], ARRAY['enterprise'], ARRAY[NULL]::bigint[], ARRAY[NULL]::bigint[], ARRAY[NULL]::bigint[],
         ARRAY[$1]::uuid[], ARRAY[$2]::uuid[], ARRAY[$3]::uuid[], ARRAY[1], ARRAY[$4]::uuid[], ARRAY[1], '{}', '{}', '{}',
         '{}', '{}', ARRAY[1], ARRAY[1], ARRAY[$2]::uuid[], ARRAY[$3]::uuid[], ARRAY[$4]::uuid[],
         ARRAY[now()]::timestamptz[], ARRAY[$5]::uuid[], ARRAY['a'], ARRAY['s'], ARRAY[NULL], ARRAY[NULL], ARRAY[NULL],
         ARRAY[NULL], ARRAY[NULL], ARRAY['{}']::jsonb[], ARRAY[2], ARRAY['EVENT'], ARRAY['/'], ARRAY[200], ARRAY[0],
         ARRAY[false], true)`,
      [of.organizationId, of.projectId, of.sourceId, of.apiKeyId, id],
    );
    expect(await app.rows('SELECT event FROM events WHERE project_id = $1 AND id = $2', [of.projectId, id])).toEqual([
      { event: 'a' },
    ]);
  });

  describe('of events that come one by one', () => {
    const word = fc.constantFrom('a', 'b');
    const event = fc.record(
      {
        event_type: fc.constantFrom('order.paid', 'order.error'),
        source: fc.constant('shop'),
        severity: word,
        status: fc.constantFrom('ok', 'error'),
        environment: word,
        timestamp: fc.constantFrom('2026-01-02T03:59:59.999Z', '2026-01-02T04:00:00Z', '2026-01-03T00:00:00Z'),
        payload: fc.record({ latency_ms: fc.constantFrom(0, 12, 13) }, { requiredKeys: [] }),
      },
      { requiredKeys: ['event_type', 'source'] },
    );
    const left = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null });
    const situation = fc.record({
      events: fc.array(event, { minLength: 2, maxLength: 5 }),
      plan: fc.constantFrom('free', 'enterprise'),
      month: left,
      day: left,
      source: fc.boolean(),
      seen: fc.boolean(),
      keyed: fc.boolean(),
    });
    type Situation = typeof situation extends fc.Arbitrary<infer Of> ? Of : never;

    const tenantIn = async ({ plan, month, day, source, seen }: Situation): Promise<Tenant> => {
      const made = await tenant(app, { plan, source });
      const { organizationId, projectId, sourceId } = made;
      await app.rows('UPDATE organizations SET events_per_month_limit = $2 WHERE id = $1', [organizationId, month]);
      if (seen || day !== null) {
        const used = day === null ? 1 : 10_000 - day;
        await app.rows(
          'INSERT INTO source_days (project_id, source_id, day, events, last_event_at) VALUES ($1, $2, $3, $4, now())',
          [projectId, sourceId, await utcDay(), used],
        );
      }
      return made;
    };
    /** What was counted, without who it was counted for. */
    const countedFor = async ({ projectId, organizationId }: Tenant): Promise<Record<string, string[]>> => {
      const tables = {
        organization_months: 'month, events',
        source_days: 'day, events',
        usage_daily: 'day, events_ingested',
        event_hours: 'hour, events, errors',
        event_facet_hours: 'hour, event, severity, status, environment, events, errors',
        event_facet_days: 'day, event, severity, status, environment, events, errors',
        latency_hours: 'hour, bucket, events',
        events: 'event, severity, status, environment, timestamp, properties',
      };
      const counted: Record<string, string[]> = {};
      for (const [name, columns] of Object.entries(tables)) {
        const owner = name === 'organization_months' ? 'organization_id' : 'project_id';
        const rows = await app.rows(`SELECT ${columns} FROM ${name} WHERE ${owner} = $1`, [
          name === 'organization_months' ? organizationId : projectId,
        ]);
        counted[name] = rows.map((row) => JSON.stringify(row)).sort();
      }
      return counted;
    };

    it('judges, stores and counts as of those that come together', async () => {
      await fc.assert(
        fc.asyncProperty(situation, async (given) => {
          const [apart, together] = [await tenantIn(given), await tenantIn(given)];
          const key = (name: string): Record<string, string> => (given.keyed ? { 'Idempotency-Key': name } : {});
          const now = new Date().toISOString();
          const events = given.events.map((one) => ({ timestamp: now, ...one }));
          const told: unknown[] = [];
          for (const [index, one] of events.entries()) {
            const { status, body } = await sender.ingest(apart.apiKey, one, key(String(index)));
            told.push(status === 200 ? true : body.detail);
          }
          const { body } = await sender.lines(together.apiKey, events, key('all'));
          const results = body.results as { accepted: boolean; detail?: unknown }[];
          expect(told).toEqual(results.map(({ accepted, detail }) => accepted || detail));
          expect(await countedFor(apart)).toEqual(await countedFor(together));
          const records = await app.rows('SELECT FROM idempotency_records WHERE api_key_id = $1', [apart.apiKeyId]);
          expect(records).toHaveLength(given.keyed ? told.filter((one) => one === true).length : 0);
          // So that counters agree with rows at the end.
          await app.rows('DELETE FROM source_days WHERE project_id = ANY ($1)', [
            [apart.projectId, together.projectId],
          ]);
          await app.rows(
            `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
             SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date, count(*), max(created_at) FROM events
             WHERE project_id = ANY ($1) GROUP BY 1, 2, 3`,
            [[apart.projectId, together.projectId]],
          );
        }),
        { numRuns: 12 },
      );
    });
  });

  it('says when a counter differs from what it counts, and mends nothing', async () => {
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    await compareAll();
    expect(warnings()).toEqual([]);
    const change = (by: number): Promise<unknown>[] => [
      app.rows('UPDATE organization_months SET events = events + $2 WHERE organization_id = $1', [
        of.organizationId,
        by,
      ]),
      app.rows('UPDATE latency_hours SET events = events + $2 WHERE project_id = $1', [of.projectId, by]),
    ];
    await Promise.all(change(1));
    await compareAll();
    const said = warnings().join('');
    expect(said).toContain(of.organizationId);
    expect(said).toContain(of.projectId);
    await Promise.all(change(-1));
    const before = warnings().length;
    await compareAll();
    expect(warnings()).toHaveLength(before);
  });

  it('compares the counters of projects that are there, behind those that a restore has left of others', async () => {
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    await compareAll();
    const before = warnings().length;
    // More than a round looks at, and all of them first.
    await app.rows(
      `INSERT INTO event_hours (project_id, hour, events, errors)
       SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, date_trunc('hour', now()), 1, 0 FROM generate_series(1, 130) AS n`,
    );
    await app.rows('UPDATE latency_hours SET events = events + 1 WHERE project_id = $1', [of.projectId]);
    await compareAll();
    const said = warnings().slice(before);
    expect(said).not.toEqual([]);
    expect(said.filter((line) => !line.includes(of.projectId))).toEqual([]);
    await app.rows('UPDATE latency_hours SET events = events - 1 WHERE project_id = $1', [of.projectId]);
    // It has come to the end, and begins anew.
    await compareAll();
    expect(warnings()).toHaveLength(before + said.length);
    await app.rows(`DELETE FROM event_hours WHERE project_id < '${LAST_GONE}'`);
  });

  it('refuses as ever while refusals cannot be recorded', async () => {
    await app.rows('UPDATE organizations SET events_per_month_limit = 0 WHERE id = $1', [of.organizationId]);
    const recorded = await sender.ingest(of.apiKey, EVENT);
    await app.rows('ALTER TABLE ingestion_failures RENAME TO failures_elsewhere');
    try {
      const unrecorded = await sender.ingest(of.apiKey, EVENT);
      expect(unrecorded).toMatchObject({ status: 403, body: { detail: 'Monthly quota exceeded (events)' } });
      const ofBilling = ({ headers }: typeof recorded): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-service-')));
      expect(ofBilling(unrecorded)).toEqual(ofBilling(recorded));
      expect(app.logLines.join('')).toMatch(/1 refused keys were not recorded/);
    } finally {
      await app.rows('ALTER TABLE failures_elsewhere RENAME TO ingestion_failures');
    }
  });

  it('refuses what it cannot hold while the database stands still, and stores what it held', async () => {
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    const lines = Array.from({ length: 1_000 }, () => EVENT);
    let held: ReturnType<Sender['lines']>[];
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM organization_months WHERE organization_id = $1 FOR UPDATE', [of.organizationId]);
      // One more than it holds: whichever comes last.
      held = Array.from({ length: 21 }, () => sender.lines(of.apiKey, lines));
      expect(await Promise.race(held)).toMatchObject({
        status: 503,
        body: { detail: 'Service overloaded' },
        headers: { 'retry-after': '1' },
      });
      await holder.query('COMMIT');
    } finally {
      await holder.end();
    }
    expect(statusesOf(await Promise.all(held))).toEqual({ 200: 20, 503: 1 });
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
  });
});
