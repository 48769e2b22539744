import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { EventTotals1795203000000 } from '../../migrations/1795203000000-event-totals.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { runMigrations } from '../../src/platform/database/migrate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

describe('events that were there before their counters', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    const earlier = MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex((migration) => migration === EventTotals1795203000000),
    );
    const source = new DataSource({ type: 'postgres', url: database.url, migrations: [...earlier] });
    await source.initialize();
    await source.runMigrations();
    await source.destroy();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, severity, properties, log_method,
                           log_endpoint, log_status, log_latency_ms, created_at)
       SELECT ('01990000-0000-7000-8000-00000000000' || n % 3)::uuid, now() - n * interval '7 minutes', gen_random_uuid(),
              CASE n % 2 WHEN 0 THEN '01990000-0000-7000-9000-000000000001'::uuid END, 'e' || n % 5, 's',
              CASE n % 3 WHEN 0 THEN 'info' END,
              CASE n % 4 WHEN 0 THEN '{"latency_ms": 5}' WHEN 1 THEN '{"duration_ms": "7"}' WHEN 2 THEN '{"elapsed_ms": null}'
                         ELSE '{"a": 1}' END::jsonb,
              'GET', '/', CASE n % 7 WHEN 0 THEN 500 ELSE 200 END, CASE n % 4 WHEN 0 THEN 5 WHEN 1 THEN 7 ELSE 0 END,
              now() - n * interval '3 hours'
       FROM generate_series(1, 500) n`,
    );
    // What ingestion has counted already must not count twice.
    await client.query(
      `INSERT INTO event_hours SELECT project_id, date_trunc('hour', "timestamp", 'UTC'), count(*), 0 FROM events
       WHERE project_id = '01990000-0000-7000-8000-000000000000' GROUP BY 1, 2`,
    );
    await runMigrations(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const rows = async (sql: string): Promise<unknown[]> => (await client.query(sql)).rows as unknown[];
  const HOUR = `date_trunc('hour', "timestamp", 'UTC')`;
  const COUNTS = `count(*) AS events, count(*) FILTER (WHERE log_status >= 500) AS errors`;

  it.each([
    ['event_hours', `SELECT project_id, ${HOUR} AS hour, ${COUNTS} FROM events GROUP BY 1, 2`],
    [
      'event_facet_hours',
      `SELECT project_id, ${HOUR} AS hour, event, source_id, severity, status, environment, ${COUNTS}
       FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    ],
    [
      'event_facet_days',
      `SELECT project_id, date_trunc('day', "timestamp", 'UTC') AS day, event, source_id, severity, status, environment, ${COUNTS}
       FROM events GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    ],
    [
      'latency_hours',
      `SELECT project_id, ${HOUR} AS hour, latency_bucket(log_latency_ms) AS bucket, count(*) AS events
       FROM events WHERE properties->>'latency_ms' = '5' OR properties->>'duration_ms' = '7' GROUP BY 1, 2, 3`,
    ],
    [
      'source_days',
      `SELECT project_id, source_id, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS events,
              max(created_at)::timestamptz AS last_event_at FROM events GROUP BY 1, 2, 3`,
    ],
  ])('are counted in %s', async (table, expected) => {
    expect(await rows(`(${expected}) EXCEPT ALL SELECT * FROM ${table}`)).toEqual([]);
    expect(await rows(`SELECT * FROM ${table} EXCEPT ALL (${expected})`)).toEqual([]);
    expect((await rows(`SELECT FROM ${table}`)).length).toBeGreaterThan(10);
  });
});
