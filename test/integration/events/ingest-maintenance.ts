import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createApiApp, type TestApp } from '../../support/app.js';
import { newId } from '../../../src/platform/ids/index.js';
import { expectTrueCounters, Sender, statusesOf, tenant, type Tenant } from '../../support/ingestion.js';

const TOKEN = 'maintenance-of-the-tests';
const EVENT = { event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12 } };

/** Follows the ids of all projects that never existed. */
const LAST_GONE = '00000000-0000-4000-9000-000000000000';

describe('an ingesting service', () => {
  let app: TestApp;
  let sender: Sender;
  let of: Tenant;

  beforeAll(async () => {
    app = await createApiApp({ env: { INTERNAL_JOB_TOKEN: TOKEN } });
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
  /** Compares every counter of an existing project at least once. A round compares fifty hours and starts again after the last one. */
  const compareAll = async (): Promise<void> => {
    const [row] = await app.rows<{ hours: number }>(
      `SELECT count(*)::int AS hours FROM event_hours WHERE project_id > '${LAST_GONE}'`,
    );
    for (let left = (row?.hours ?? 0) + 50; left > 0; left -= 50) await maintain();
  };
  const warnings = (): string[] => app.logLines.filter((line) => line.includes('counters differ'));

  it('stores events of processes of the previous version, which pass an array for each column', async () => {
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

  it('logs a counter that differs from the stored events, and does not correct it', async () => {
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    const earlier = warnings().length;
    await compareAll();
    expect(warnings().slice(earlier)).toEqual([]);
    const change = (by: number): Promise<unknown>[] => [
      app.rows('UPDATE organization_months SET events = events + $2 WHERE organization_id = $1', [
        of.organizationId,
        by,
      ]),
      app.rows('UPDATE latency_hours SET events = events + $2 WHERE project_id = $1', [of.projectId, by]),
    ];
    await Promise.all(change(1));
    await compareAll();
    const said = warnings().slice(earlier).join('');
    expect(said).toContain(of.organizationId);
    expect(said).toContain(of.projectId);
    await Promise.all(change(-1));
    const before = warnings().length;
    await compareAll();
    expect(warnings()).toHaveLength(before);
  });

  it('compares the counters of existing projects after those of projects that a restore has left behind', async () => {
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    await compareAll();
    const before = warnings().length;
    // These are more than a round compares, and they all come first.
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
    // The comparison has come to its end and starts again.
    await compareAll();
    expect(warnings()).toHaveLength(before + said.length);
    await app.rows(`DELETE FROM event_hours WHERE project_id < '${LAST_GONE}'`);
  });

  it('returns the same refusal while refusals cannot be recorded', async () => {
    await app.rows('UPDATE organizations SET events_per_month_limit = 0 WHERE id = $1', [of.organizationId]);
    const recorded = await sender.ingest(of.apiKey, EVENT);
    await app.rows('ALTER TABLE ingestion_failures RENAME TO failures_elsewhere');
    try {
      const unrecorded = await sender.ingest(of.apiKey, EVENT);
      expect(unrecorded).toMatchObject({ status: 403, body: { detail: 'Monthly quota exceeded (events)' } });
      const ofBilling = ({ headers }: typeof recorded): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-service-')));
      expect(ofBilling(unrecorded)).toEqual(ofBilling(recorded));
      expect(app.logLines.join('')).toMatch(/1 refused senders were not recorded/);
    } finally {
      await app.rows('ALTER TABLE failures_elsewhere RENAME TO ingestion_failures');
    }
  });

  it('returns 503 for events beyond its buffer while the database does not answer, and stores the buffered events', async () => {
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    const lines = Array.from({ length: 1_000 }, () => EVENT);
    let held: ReturnType<Sender['lines']>[];
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM organization_months WHERE organization_id = $1 FOR UPDATE', [of.organizationId]);
      // One batch more than the buffer holds. Which of them is refused depends on the order of arrival.
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
