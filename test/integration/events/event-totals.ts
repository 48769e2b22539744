import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newProjectId, type ProjectId } from '../../../src/modules/access/index.js';
import {
  bucketsOf,
  type EventFilter,
  EventTotalsReader,
  INTERVALS,
  LatenciesReader,
  type TimeWindow,
} from '../../../src/modules/events/event-store/index.js';
import { DIMENSIONS } from '../../../src/modules/events/event-store/totals/event-filter.js';
import { TimeZone } from '../../../src/platform/clock/index.js';
import { newId } from '../../../src/platform/ids/index.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { propertyRuns } from '../../support/property-runs.js';
import { app } from './api-app.js';

const HOUR_MS = 3_600_000;
const HOURS_BACK = 130;
const HOURS_AHEAD = 3;
const SOURCES = [newId(), newId(), null];
const VALUES = {
  event: ['a', 'b', 'c.error'],
  source_id: SOURCES,
  severity: ['info', 'critical', null],
  status: ['ok', null],
  environment: ['production', 'staging', null],
} as const;

describe('the total of events', () => {
  let totals: EventTotalsReader;
  let latencies: LatenciesReader;
  let beginning: number;
  const scope = { projectId: newProjectId() };

  /** Milliseconds from the beginning; often exactly on an hour or beside it. */
  const moment = fc.oneof(
    fc.integer({ min: 0, max: (HOURS_BACK + HOURS_AHEAD) * HOUR_MS }),
    fc
      .tuple(fc.integer({ min: 0, max: HOURS_BACK + HOURS_AHEAD }), fc.constantFrom(-1, 0, 1))
      .map(([hour, off]) => Math.max(0, hour * HOUR_MS + off)),
  );
  const eventRow: fc.Arbitrary<EventRow> = fc
    .record({
      at: moment,
      event: fc.constantFrom(...VALUES.event),
      source_id: fc.constantFrom(...VALUES.source_id),
      severity: fc.constantFrom(...VALUES.severity),
      status: fc.constantFrom(...VALUES.status),
      environment: fc.constantFrom(...VALUES.environment),
      log_status: fc.constantFrom(200, 404, 499, 500, 503),
      log_latency_ms: fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: undefined }),
    })
    .map(({ at, ...row }) => ({ ...row, timestamp: new Date(beginning + at) }));
  const filter: fc.Arbitrary<EventFilter> = fc.record(
    Object.fromEntries(
      DIMENSIONS.map((name) => [
        name,
        fc.constantFrom(...VALUES[name].filter((value): value is string => value !== null)),
      ]),
    ) as Record<(typeof DIMENSIONS)[number], fc.Arbitrary<string>>,
    { requiredKeys: [] },
  );
  const window = fc.tuple(moment, moment).map(([from, to]): TimeWindow => ({
    from: new Date(beginning + from),
    to: new Date(beginning + to),
  }));

  beforeAll(async () => {
    totals = app.nest.get(EventTotalsReader);
    latencies = app.nest.get(LatenciesReader);
    beginning = Math.floor(Date.now() / HOUR_MS - HOURS_BACK) * HOUR_MS;
    await insertEvents(app, scope.projectId, fc.sample(eventRow, { numRuns: 1_500, seed: 7 }));
    await insertEvents(app, newId(), fc.sample(eventRow, { numRuns: 300, seed: 8 }));
    await countEvents(app);
  });

  const eventsIn = async (of: { projectId: ProjectId }, span: TimeWindow): Promise<number> =>
    (await totals.total(of, span)).events;

  /** What the rows themselves say. */
  function plain<Row>(columns: string, { from, to }: TimeWindow, wanted: EventFilter, rest = ''): Promise<Row[]> {
    const values: unknown[] = [scope.projectId, from, to];
    const conditions = Object.entries(wanted).map(([name, value]) => `AND ${name} = $${values.push(value)}`);
    return app.rows<Row>(
      `SELECT ${columns} FROM events
       WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 ${conditions.join(' ')} ${rest}`,
      values,
    );
  }
  const COUNTS = `count(*)::int AS events, (count(*) FILTER (WHERE log_status >= 500))::int AS errors`;
  const check = (property: fc.IAsyncProperty<unknown>) => fc.assert(property, { numRuns: propertyRuns(60, 20) });

  it('equals the number of rows for every window and filter', async () => {
    await check(
      fc.asyncProperty(window, filter, async (span, wanted) => {
        expect(await totals.total(scope, span, wanted)).toEqual((await plain(COUNTS, span, wanted))[0]);
      }),
    );
  });

  it('is grouped by every dimension as by a plain GROUP BY', async () => {
    await check(
      fc.asyncProperty(window, filter, fc.constantFrom(...DIMENSIONS), async (span, wanted, name) => {
        const rest = `GROUP BY ${name} ORDER BY 2 DESC, 1`;
        const expected = await plain(`${name} AS value, ${COUNTS}`, span, wanted, rest);
        expect(await totals.by(scope, name, span, { filter: wanted })).toEqual(expected);
        expect(await totals.by(scope, name, span, { filter: wanted, limit: 2 })).toEqual(expected.slice(0, 2));
      }),
    );
  });

  it('is divided into minutes, hours and UTC days', async () => {
    await check(
      fc.asyncProperty(window, fc.constantFrom(...INTERVALS), async (span, interval) => {
        const bucket = `date_trunc('${interval}', "timestamp", 'UTC')`;
        const expected = await plain(`${bucket} AS at, ${COUNTS}`, span, {}, `GROUP BY 1 ORDER BY 1`);
        expect(await totals.over(scope, interval, span)).toEqual(expected);
      }),
    );
  });

  it.each([
    'Europe/Berlin',
    'America/St_Johns',
    'America/Sao_Paulo',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Kathmandu',
    // Its midnights come twice: the day begins with the first one, which date_trunc overlooks.
    'Atlantic/Azores',
  ])('is divided in every year from 2000 to 2030 into local days and weeks of %s', async (name) => {
    const zone = new TimeZone(name);
    const years = Array.from({ length: 31 }, (_, index) => 2000 + index);
    for (const interval of ['day', 'week'] as const) {
      const starts = years.flatMap((year) => {
        const window = { from: new Date(Date.UTC(year, 0)), to: new Date(Date.UTC(year + 1, 0)) };
        const { starts: of } = bucketsOf(window, interval, zone);
        // The first is the last of the year before.
        return of.filter((start) => year === 2000 || start >= window.from);
      });
      const lengths = starts.slice(1).map((start, index) => start.getTime() - starts[index]!.getTime());
      const usual = (interval === 'day' ? 24 : 7 * 24) * HOUR_MS;
      const changed = starts.filter((_, index) => lengths[index] !== usual && lengths[index] !== undefined);
      expect(changed.length > 0).toBe(name !== 'Asia/Kathmandu');
      const [row] = await app.rows<{ labels: number; instants: number }>(
        `SELECT (SELECT count(*)::int FROM unnest($1::timestamptz[]) s WHERE date_trunc($4, s, $3) <> s) AS labels,
                (SELECT count(*)::int FROM unnest($2::timestamptz[]) c,
                   generate_series(c - interval '26 hours 150 seconds', c + interval '26 hours', interval '5 minutes') t
                 WHERE date_trunc($4, t AT TIME ZONE $3) <>
                       date_trunc($4, ($1::timestamptz[])[width_bucket(t, $1::timestamptz[])] AT TIME ZONE $3)) AS instants`,
        [starts, changed, name, interval],
      );
      expect(row).toEqual({ labels: name === 'Atlantic/Azores' && interval === 'day' ? 31 : 0, instants: 0 });
    }
  });

  it('counts each facet under the filter on the others', async () => {
    await check(
      fc.asyncProperty(window, filter, async (span, wanted) => {
        const facets = await totals.facets(scope, span, wanted, 100);
        for (const name of DIMENSIONS) {
          const others = { ...wanted };
          delete others[name];
          const rest = `GROUP BY ${name} ORDER BY 2 DESC, ${name}::text`;
          expect([name, facets[name]]).toEqual([
            name,
            await plain(`${name} AS value, count(*)::int AS events`, span, others, rest),
          ]);
        }
      }),
    );
  });

  it('names the hours that a page needs', async () => {
    const page = fc.record({ offset: fc.integer({ min: 0, max: 1_600 }), limit: fc.integer({ min: 1, max: 500 }) });
    await check(
      fc.asyncProperty(window, filter, page, async (span, wanted, { offset, limit }) => {
        const { total, hours } = await totals.matchingHours(scope, span, wanted, { offset, limit });
        const all = await plain<{ hour: Date; events: number }>(
          `date_trunc('hour', "timestamp", 'UTC') AS hour, count(*)::int AS events`,
          span,
          wanted,
          'GROUP BY 1 ORDER BY 1 DESC',
        );
        let newer = 0;
        const expected = [];
        for (const { hour, events } of all) {
          if (newer + events > offset && newer < offset + limit) expected.push({ hour, events, newer });
          newer += events;
        }
        expect({ total, hours }).toEqual({ total: newer, hours: expected });
      }),
    );
  });

  it('comes with percentiles of the latencies, exact for few events', async () => {
    await check(
      fc.asyncProperty(window, async (span) => {
        const [row] = await plain<{ values: number[] | null }>(
          'percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY log_latency_ms) AS values',
          span,
          {},
          'AND log_has_latency',
        );
        expect(await latencies.percentiles(scope, span, [0.5, 0.95], await eventsIn(scope, span))).toEqual(
          row?.values ?? [null, null],
        );
      }),
    );
  });

  it('comes with exact percentiles of few latencies among many events', async () => {
    const quiet = { projectId: newProjectId() };
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, $2::timestamptz + n * interval '5 seconds', gen_random_uuid(), 'e', 's', '{}', 'GET', '/', 200,
              (n * 7919) % 60000, n % 7 = 0, now() FROM generate_series(1, 12000) n`,
      [quiet.projectId, new Date(beginning + 1_234_567)],
    );
    await countEvents(app);
    await check(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 * HOUR_MS }), async (later) => {
        const span = { from: new Date(beginning + later), to: new Date(beginning + later + 14 * HOUR_MS) };
        expect(await eventsIn(quiet, span)).toBeGreaterThan(5_000);
        const [row] = await app.rows<{ values: number[] }>(
          `SELECT percentile_disc(ARRAY[0, 0.01, 0.5, 0.95, 1]) WITHIN GROUP (ORDER BY log_latency_ms) AS values
           FROM events WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 AND log_has_latency`,
          [quiet.projectId, span.from, span.to],
        );
        const given = await latencies.percentiles(quiet, span, [0, 0.01, 0.5, 0.95, 1], await eventsIn(quiet, span));
        expect(given).toEqual(row?.values);
      }),
    );
  });

  it('comes with percentiles within one percent for many events', async () => {
    const busy = { projectId: newProjectId() };
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, $2::timestamptz + n * interval '7 seconds', gen_random_uuid(), 'e', 's', '{}', 'GET', '/', 200,
              (n * 7919) % 3000, n % 3 > 0, now() FROM generate_series(1, 12000) n`,
      [busy.projectId, new Date(beginning + 1_234_567)],
    );
    await countEvents(app);
    await check(
      fc.asyncProperty(moment, async (from) => {
        const span = {
          from: new Date(beginning + Math.min(from, 10 * HOUR_MS)),
          to: new Date(beginning + from + 20 * HOUR_MS),
        };
        const [row] = await app.rows<{ values: number[] }>(
          `SELECT percentile_disc(ARRAY[0.01, 0.5, 0.95, 1]) WITHIN GROUP (ORDER BY log_latency_ms) AS values
           FROM events WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 AND log_has_latency`,
          [busy.projectId, span.from, span.to],
        );
        const given = await latencies.percentiles(busy, span, [0.01, 0.5, 0.95, 1], await eventsIn(busy, span));
        for (const [index, exact] of (row?.values ?? []).entries()) {
          expect(Math.abs((given[index] ?? -1) - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.0101));
        }
      }),
    );
  });
});
