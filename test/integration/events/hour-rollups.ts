import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { asProjectId, type ProjectId } from '../../../src/modules/access/index.js';
import { SeriesReader, type TimeWindow } from '../../../src/modules/events/event-store/index.js';
import { HourRollupsWriter } from '../../../src/modules/events/event-store/rollups/hour-rollups.writer.js';
import { SERIES_BUCKET_MS, type SeriesPoints } from '../../../src/modules/events/event-store/rollups/series.reader.js';
import { HourRollupsService } from '../../../src/modules/events/hour-rollups/hour-rollups.service.js';
import { newId } from '../../../src/platform/ids/index.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { tenant } from '../../support/ingestion.js';

const HOUR_MS = 3_600_000;
const HOURS = 30;
const SOURCES = [newId(), newId()];
const EVENTS = ['paid', 'c.error', 'rare'];

describe('the rollup of an hour', () => {
  let app: TestApp;
  let series: SeriesReader;
  let rollups: HourRollupsService;
  let repository: HourRollupsWriter;
  let projectId: ProjectId;
  let beginning: number;

  const eventRow: fc.Arbitrary<EventRow> = fc
    .record({
      at: fc.integer({ min: 0, max: HOURS * HOUR_MS }),
      event: fc.constantFrom(...EVENTS, 'other'),
      source_id: fc.constantFrom(...SOURCES, null),
      log_status: fc.constantFrom(200, 404, 499, 500, 503),
      log_latency_ms: fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: undefined }),
      log_endpoint: fc.constantFrom('/a', '/b', '/c'),
    })
    .map(({ at, ...row }) => ({ ...row, timestamp: new Date(beginning + at) }));
  const window = fc
    .tuple(fc.nat({ max: HOURS * 12 + 20 }), fc.nat({ max: HOURS * 12 + 20 }))
    .map(([a, b]): TimeWindow => ({
      from: new Date(beginning + (Math.min(a, b) - 10) * SERIES_BUCKET_MS),
      to: new Date(beginning + (Math.max(a, b) - 10) * SERIES_BUCKET_MS),
    }));

  beforeAll(async () => {
    app = await createApiApp();
    series = app.nest.get(SeriesReader);
    rollups = app.nest.get(HourRollupsService);
    repository = app.nest.get(HourRollupsWriter);
    beginning = Math.floor(Date.now() / HOUR_MS - HOURS + 2) * HOUR_MS;
    await insertEvents(app, (await tenant(app)).projectId, fc.sample(eventRow, { numRuns: 200, seed: 8 }));
    await beginProject();
  });
  afterAll(() => app.close());

  /** Makes a project with events, of which no rollup has been made. */
  async function beginProject(): Promise<void> {
    projectId = asProjectId((await tenant(app)).projectId);
    await insertEvents(app, projectId, fc.sample(eventRow, { numRuns: 1_500, seed: 7 }));
    await countEvents(app);
  }

  /** What the rows themselves say of one series. */
  async function plain(span: TimeWindow, condition: string, values: unknown[] = []): Promise<SeriesPoints> {
    const buckets = (span.to.getTime() - span.from.getTime()) / SERIES_BUCKET_MS;
    const rows = await app.rows<{
      bucket: number;
      events: number;
      errors: number;
      measured: number;
      p95: number | null;
    }>(
      `SELECT floor(extract(epoch FROM "timestamp" - $2) / 300)::int AS bucket, count(*)::int AS events,
              (count(*) FILTER (WHERE log_status >= 500))::int AS errors,
              (count(*) FILTER (WHERE log_has_latency))::int AS measured,
              percentile_disc(0.95) WITHIN GROUP (ORDER BY log_latency_ms) FILTER (WHERE log_has_latency) AS p95
       FROM events WHERE project_id = $1 AND "timestamp" >= $2::timestamptz AND "timestamp" < $3 AND ${condition} GROUP BY 1`,
      [projectId, span.from, span.to, ...values],
    );
    const list = (of: (row: (typeof rows)[number]) => number, empty = 0): Int32Array => {
      const points = new Int32Array(buckets).fill(empty);
      for (const row of rows) points[row.bucket] = of(row);
      return points;
    };
    return {
      events: list((row) => row.events),
      errors: list((row) => row.errors),
      measured: list((row) => row.measured),
      p95: list((row) => row.p95 ?? -1, -1),
    };
  }

  const expectTrueSeries = () =>
    fc.assert(
      fc.asyncProperty(window, async (span) => {
        const given = await series.read({ projectId }, span, { events: EVENTS, sources: SOURCES });
        expect(given.project).toEqual(await plain(span, 'true'));
        for (const event of EVENTS) expect(given.events.get(event)).toEqual(await plain(span, 'event = $4', [event]));
        for (const id of SOURCES) expect(given.sources.get(id)).toEqual(await plain(span, 'source_id = $4', [id]));
      }),
      { numRuns: 12 },
    );

  it('gives the same series as the rows while it is missing, made and out of date', async () => {
    await beginProject();
    expect(await app.rows('SELECT FROM hour_rollups WHERE project_id = $1', [projectId])).toEqual([]);
    await expectTrueSeries();
    expect(await rollups.makeDue()).toBeGreaterThan(HOURS - 5);
    expect(await rollups.makeDue()).toBe(0);
    await expectTrueSeries();
    await insertEvents(app, projectId, fc.sample(eventRow, { numRuns: 40, seed: 9 }));
    await countEvents(app);
    await expectTrueSeries();
    expect(await rollups.makeDue()).toBeGreaterThan(5);
    await expectTrueSeries();
  });

  it('is not made before its hour has ended', async () => {
    await rollups.makeDue();
    const [newest] = await app.rows<{ ago: number }>(
      `SELECT extract(epoch FROM now() - max(hour))::float8 AS ago FROM hour_rollups WHERE project_id = $1`,
      [projectId],
    );
    expect(newest?.ago).toBeGreaterThan(3_600);
  });

  it('is completed from rows for the series that it does not keep', async () => {
    const busy = asProjectId((await tenant(app)).projectId);
    const names = Array.from({ length: 230 }, (_, index) => `type.${String(index).padStart(3, '0')}`);
    const rows = names.flatMap((event, index) =>
      Array.from({ length: index < 200 ? 2 : 1 }, (): EventRow => ({
        event,
        timestamp: new Date(beginning + 1_000 * index),
      })),
    );
    await insertEvents(app, busy, rows);
    await countEvents(app);
    await rollups.makeDue();
    expect(
      await app.rows(
        `SELECT kind, count(*)::int AS n FROM event_series_hours WHERE project_id = $1 GROUP BY 1 ORDER BY 1`,
        [busy],
      ),
    ).toEqual([
      { kind: 'event', n: 200 },
      { kind: 'project', n: 1 },
    ]);
    const span = { from: new Date(beginning), to: new Date(beginning + HOUR_MS) };
    const given = await series.read({ projectId: busy }, span, { events: [...names, 'none'] });
    const sums = [...given.events].map(([name, { events }]) => [name, events.reduce((sum, n) => sum + n, 0)]);
    expect(sums).toEqual([...names.map((name, index) => [name, index < 200 ? 2 : 1]), ['none', 0]]);
    expect(given.project.events.reduce((sum, n) => sum + n, 0)).toBe(rows.length);
  });

  it('is made once when several make it at the same time, and is whole or as before', async () => {
    const id = asProjectId((await tenant(app)).projectId);
    await insertEvents(app, id, fc.sample(eventRow, { numRuns: 300, seed: 11 }));
    await countEvents(app);
    const hours = (await app.rows<{ hour: Date }>('SELECT hour FROM event_hours WHERE project_id = $1', [id])).map(
      ({ hour }) => hour,
    );
    const made = await Promise.all(Array.from({ length: 4 }, () => repository.make(id, hours)));
    expect(Math.max(...made)).toBe(hours.length);
    expect(made.filter((n) => n > 0)).toHaveLength(1);
    // Whoever came while it was made has left it to the other; now there is nothing left to do.
    expect(await repository.make(id, hours)).toBe(0);
  });

  it('stays as it was when the statement that replaces it is killed', async () => {
    const id = asProjectId((await tenant(app)).projectId);
    const hour = new Date(beginning + 5 * HOUR_MS);
    const rollup = () =>
      app.rows<{ counted: number; endpoints: number; series: number }>(
        `SELECT r.counted::int, (SELECT count(*)::int FROM endpoint_hours e WHERE e.project_id = $1) AS endpoints,
                (SELECT count(*)::int FROM event_series_hours s WHERE s.project_id = $1) AS series
         FROM hour_rollups r WHERE r.project_id = $1`,
        [id],
      );
    const store = async (event: string): Promise<void> => {
      await insertEvents(app, id, [{ timestamp: hour, event, log_endpoint: `/${event}` }]);
      await countEvents(app);
    };
    await store('first');
    expect(await repository.make(id, [hour])).toBe(1);
    const before = await rollup();
    expect(before).toEqual([{ counted: 1, endpoints: 1, series: 2 }]);
    await store('second');
    const blocker = new pg.Client({ connectionString: app.databaseUrl });
    await blocker.connect();
    try {
      await blocker.query('BEGIN');
      // Those that were there can be removed, no others can be put in their place.
      await blocker.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      const made = repository.make(id, [hour]).catch((error: unknown) => error);
      for (let killed = 0; killed === 0;) {
        const rows = await app.rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'WITH raw_requests%'`,
        );
        killed = rows.length;
      }
      expect(await made).toBeInstanceOf(Error);
    } finally {
      await blocker.end();
    }
    expect(await rollup()).toEqual(before);
    const { events } = await series.read(
      { projectId: id },
      { from: hour, to: new Date(hour.getTime() + HOUR_MS) },
      { events: ['second'] },
    );
    expect(events.get('second')?.events[0]).toBe(1);
    expect(await repository.make(id, [hour])).toBe(1);
    expect(await rollup()).toEqual([{ counted: 2, endpoints: 2, series: 3 }]);
  });

  it('is deleted with its project', async () => {
    const id = asProjectId((await tenant(app)).projectId);
    await insertEvents(app, id, fc.sample(eventRow, { numRuns: 50, seed: 12 }));
    await countEvents(app);
    await rollups.makeDue();
    while ((await repository.removeOf(id, 7)) === 7);
    for (const table of ['hour_rollups', 'endpoint_hours', 'event_series_hours', 'day_rollups', 'endpoint_days']) {
      expect([table, ...(await app.rows(`SELECT FROM ${table} WHERE project_id = $1`, [id]))]).toEqual([table]);
    }
  });

  it('is made for existing projects, despite counters that a restore has left of others', async () => {
    await rollups.makeDue();
    const id = asProjectId((await tenant(app)).projectId);
    await insertEvents(app, id, [{ timestamp: new Date(beginning + HOUR_MS) }]);
    await countEvents(app);
    // All that are recent have their turn before it, and some are older.
    await app.rows(
      `INSERT INTO event_hours (project_id, hour, events, errors)
       SELECT gen_random_uuid(), date_trunc('hour', now()) - interval '3 hours', 1, 0 FROM generate_series(1, 700)
       UNION ALL
       SELECT $1, date_trunc('hour', now()) - n * interval '1 hour', 1, 0 FROM generate_series(3, 200) AS n`,
      [newId()],
    );
    expect(await repository.recent(1)).toEqual([expect.objectContaining({ projectId: id })]);
    expect(await rollups.makeDue()).toBeGreaterThanOrEqual(1);
    expect(await app.rows('SELECT counted::int FROM hour_rollups WHERE project_id = $1', [id])).toEqual([
      { counted: 1 },
    ]);
    expect(await rollups.makeDue()).toBe(0);
    await countEvents(app);
  });

  it('refuses windows that are no series of buckets', async () => {
    const from = new Date(beginning);
    await expect(series.read({ projectId }, { from, to: new Date(beginning + 1) })).rejects.toThrow(RangeError);
    await expect(series.read({ projectId }, { from, to: new Date(beginning + 32 * 24 * HOUR_MS) })).rejects.toThrow(
      RangeError,
    );
  });
});
