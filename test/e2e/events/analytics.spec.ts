import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Test } from 'supertest';
import {
  compareScalars,
  INSIGHT_RUNS,
  type KnownEvent,
  moment,
  rankOf,
  scalarAt,
  someEvents,
} from '../../support/insight.js';
import { api, type Caller, type Tenant, tenant } from '../../support/service.js';
import { createSource } from '../../support/sources-api.js';
import { storedTotals } from '../../support/sql-builders/analytics.js';
import { countEvents, insertEvents } from '../../support/sql-builders/event-rows.js';
import { automaticInterval, bucketStarts } from '../../support/window-buckets.js';

type RequestQuery = Readonly<Record<string, string | number | string[] | undefined>>;
type Json = Record<string, unknown>;

const HOUR_MS = 3_600_000;
const FIELDS = [
  ...['event', 'source', 'source_id', 'severity', 'status', 'environment'],
  ...['log.method', 'log.endpoint', 'log.status'],
  ...['properties.plan', 'properties.a.b', 'properties.__proto__', 'properties.nowhere', 'properties.n'],
];
const NUMBERS = ['properties.plan', 'properties.n', 'log.latency_ms', 'log.status', 'properties.nowhere'];
/** Conditions in both forms that they have: said in SQL, or asked of one event after the other. */
const CONDITIONS: Readonly<Record<string, (row: KnownEvent) => boolean>> = {
  'properties.plan == "pro"': ({ properties }) => [properties.plan].flat().includes('pro'),
  'log.status >= 500': ({ log_status }) => log_status >= 500,
  'event in ("a", "d") and severity != null': ({ event, severity }) => ['a', 'd'].includes(event) && severity !== null,
  'properties.n * 2 > 3': ({ properties }) => typeof properties.n === 'number' && properties.n * 2 > 3,
  'event regex "[ab]" and properties.n + 1 <= 3': ({ event, properties }) =>
    /^[ab]$/.test(event) && typeof properties.n === 'number' && properties.n + 1 <= 3,
};
const FILTERS = { event: 'a', severity: 'info', status: 'ok', environment: 'staging' } as const;

/** The tenant whose events are known. */
let acme: Tenant;
/** Another tenant, whose events the first may not see. */
let globex: Tenant;
let known: KnownEvent[];
/** The latest instant that windows end at. */
const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

const ask = (operation: string, asked: RequestQuery, of = acme, who: Caller = of.owner): Test => {
  const query = new URLSearchParams();
  const all: RequestQuery = { project_id: of.projectId, ...asked };
  for (const [name, value] of Object.entries(all)) {
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
  }
  return api.as(who).get(`/v1/analytics/${operation}?${query.toString()}`);
};
const answer = async (operation: string, asked: RequestQuery, of = acme): Promise<Json> => {
  const { status, body } = await ask(operation, asked, of);
  expect([operation, asked, status, status === 200 ? null : (body as unknown)]).toEqual([operation, asked, 200, null]);
  return body as Json;
};
/** Reads a route outside of analytics for a project. */
const read = async ({ owner, projectId }: Tenant, path: string, asked: object): Promise<Json> => {
  const query = { ...asked, project_id: projectId };
  const { body } = await api.as(owner).get(path, query).expect(200);
  return body as Json;
};
const explorerTotal = async (asked: RequestQuery, { owner, projectId } = acme): Promise<number> => {
  const all: RequestQuery = { ...asked, limit: 1 };
  const query = Object.entries(all).filter(([, value]) => value !== undefined && value !== '');
  const { body } = await api.as(owner).get(`/v1/projects/${projectId}/events`, Object.fromEntries(query)).expect(200);
  return (body as { total: number }).total;
};

beforeAll(async () => {
  acme = await tenant({ projectName: 'Tea House' });
  globex = await tenant();
  known = fc.sample(someEvents(end), { numRuns: 700, seed: 11 });
  await insertEvents(acme.projectId, known);
  await insertEvents(globex.projectId, fc.sample(someEvents(end), { numRuns: 50, seed: 12 }));
  for (const { projectId } of [acme, globex]) await countEvents(projectId);
});

// Random filters, applied to random events in a window and in the window before.
const filters = fc.record(
  {
    event: fc.constantFrom(FILTERS.event, ''),
    severity: fc.constantFrom(FILTERS.severity, ''),
    status: fc.constant(FILTERS.status),
    environment: fc.constantFrom(FILTERS.environment, ''),
    source_id: fc.constantFrom('', 'first'),
  },
  { requiredKeys: [] },
);
const questions = fc
  .record({
    ends: fc.tuple(moment, moment),
    isAll: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    filter: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: filters }),
    where: fc.option(fc.constantFrom(...Object.keys(CONDITIONS)), { nil: undefined, freq: 3 }),
  })
  .map(({ ends, isAll, filter, where }) => {
    const [from, to] = [end - Math.max(...ends), end - Math.min(...ends)];
    const sourceId = (filter as { source_id?: string }).source_id;
    const source = sourceId === 'first' ? known.find(({ source_id }) => source_id !== null)?.source_id : sourceId;
    const wanted: Record<string, string | undefined> = { ...filter, source_id: source ?? undefined };
    const window: RequestQuery = isAll
      ? { range: 'all' }
      : { from_ts: new Date(from).toISOString(), to_ts: new Date(to).toISOString() };
    return { asked: { ...window, ...wanted, where }, wanted, where, isAll, from, to };
  });
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;
const factsOf = ({ wanted, where, isAll, from, to }: Question) => {
  const fits = (row: KnownEvent): boolean =>
    Object.entries(wanted).every(([name, value]) => !value || row[name as keyof KnownEvent] === value) &&
    (where === undefined || CONDITIONS[where]!(row));
  const within = (begin: number, until: number): KnownEvent[] =>
    known.filter(({ timestamp }) => timestamp.getTime() >= begin && timestamp.getTime() < until).filter(fits);
  return { now: isAll ? known.filter(fits) : within(from, to), before: isAll ? null : within(2 * from - to, from) };
};
const check = <T>(property: fc.IAsyncProperty<T>) => fc.assert(property, { numRuns: INSIGHT_RUNS });
const errorsIn = (rows: readonly KnownEvent[]): number => rows.filter(({ log_status }) => log_status >= 500).length;
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const change = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : (now - before) / before;
const count = <T>(rows: readonly KnownEvent[], of: (row: KnownEvent) => T): Map<T, KnownEvent[]> => {
  const groups = new Map<T, KnownEvent[]>();
  for (const row of rows) groups.set(of(row), [...(groups.get(of(row)) ?? []), row]);
  return groups;
};

describe('The overview of analytics', () => {
  it('gives the totals of a window and of the window before', async () => {
    const totalsOf = (rows: readonly KnownEvent[]) => {
      const latencies = rows.flatMap(({ log_latency_ms }) => log_latency_ms ?? []);
      return {
        events: rows.length,
        errors: errorsIn(rows),
        error_rate: ratio(errorsIn(rows), rows.length),
        event_types: new Set(rows.map(({ event }) => event)).size,
        sources: new Set(rows.flatMap(({ source_id }) => source_id ?? [])).size,
        p50_latency_ms: rankOf(latencies, 0.5),
        p95_latency_ms: rankOf(latencies, 0.95),
      };
    };
    await check(
      fc.asyncProperty(questions, async (question) => {
        const { asked } = question;
        const { now, before } = factsOf(question);
        const body = await answer('overview', asked);
        const [totals, previous] = [totalsOf(now), before && totalsOf(before)];
        const byCount = (a: { events: number; value: unknown }, b: { events: number; value: unknown }): number =>
          b.events - a.events || compareScalars(a.value, b.value);
        expect(body).toMatchObject({ project_id: acme.projectId, project_name: 'Tea House', totals, previous });
        expect(body.change).toEqual(
          previous && {
            ...Object.fromEntries(
              Object.entries(totals).map(([name, value]) => [
                name,
                change(value, previous[name as keyof typeof previous]),
              ]),
            ),
            error_rate: totals.error_rate - previous.error_rate,
          },
        );
        expect(body.by_severity).toEqual(
          [...count(now, ({ severity }) => severity)]
            .map(([value, rows]) => ({ value, events: rows.length }))
            .sort(byCount),
        );
        expect(body.top_events).toEqual(
          [...count(now, ({ event }) => event)]
            .map(([value, { length: events }]) => {
              const earlier = before && before.filter(({ event }) => event === value).length;
              return { value, events, previous_events: earlier, change: change(events, earlier) };
            })
            .sort(byCount),
        );
        const last = Math.max(...now.map(({ timestamp }) => timestamp.getTime()));
        expect(body.last_event_at).toBe(now.length === 0 ? null : new Date(last).toISOString());
        if (asked.where === undefined) expect(await explorerTotal(asked)).toBe(now.length);
      }),
    );
  });
});

describe('The breakdown of analytics', () => {
  it('gives the values of every field, the events without one, and the rest', async () => {
    await check(
      fc.asyncProperty(
        questions,
        fc.constantFrom(...FIELDS),
        fc.integer({ min: 1, max: 6 }),
        async (question, by, limit) => {
          const { asked } = question;
          const { now, before } = factsOf(question);
          const body = await answer('breakdown', { ...asked, by, limit });
          const groups = count(now, (row) => scalarAt(row, by));
          const missing = groups.get(null) ?? [];
          groups.delete(null);
          const values = [...groups].sort(([one, a], [other, b]) => b.length - a.length || compareScalars(one, other));
          const earlier = before && count(before, (row) => scalarAt(row, by));
          const shown = values.slice(0, limit);
          const rest = values.slice(limit).flatMap(([, rows]) => rows);
          expect(body).toMatchObject({
            by,
            total: { events: now.length, errors: errorsIn(now) },
            distinct: values.length,
            missing: { events: missing.length, errors: errorsIn(missing) },
            other: { events: rest.length, errors: errorsIn(rest), values: values.length - shown.length },
          });
          expect(body.items).toEqual(
            shown.map(([value, rows]) => {
              const previous = earlier && (earlier.get(value)?.length ?? 0);
              return {
                value: typeof value === 'string' ? value.slice(0, 200) : value,
                ...(by === 'source_id' && { name: null }),
                events: rows.length,
                errors: errorsIn(rows),
                error_rate: ratio(errorsIn(rows), rows.length),
                share: ratio(rows.length, now.length),
                previous_events: previous,
                change: change(rows.length, previous),
              };
            }),
          );
        },
      ),
    );
  });

  it('names the Event Sources of values, and keeps long texts apart', async () => {
    const shop = await tenant();
    const { id } = await createSource(shop, { name: 'Web shop', type: 'http' });
    const gone = '0199f3a1-0000-7000-8000-000000000001';
    const long = 'ä'.repeat(500);
    await insertEvents(
      shop.projectId,
      [id, id, gone, null].map((source_id, index) => ({
        timestamp: new Date(end - index),
        source_id,
        properties: { long: `${long}${index % 3}` },
      })),
    );
    await countEvents(shop.projectId);
    const of = (by: string): Promise<Json> => answer('breakdown', { by, range: '24h' }, shop);
    const { items, missing } = await of('source_id');
    expect(items).toMatchObject([
      { value: id, name: 'Web shop', events: 2, share: 0.5 },
      { value: gone, name: null, events: 1 },
    ]);
    expect(missing).toEqual({ events: 1, errors: 0 });
    const { items: texts, distinct } = await of('properties.long');
    expect(distinct).toBe(3);
    expect((texts as { value: string; events: number }[]).map(({ value, events }) => [value, events])).toEqual([
      ['ä'.repeat(200), 2],
      ['ä'.repeat(200), 1],
      ['ä'.repeat(200), 1],
    ]);
  });
});

describe('The timeseries of analytics', () => {
  const AGGREGATES: Readonly<
    Record<string, (values: readonly unknown[], rows: readonly KnownEvent[]) => number | null>
  > = {
    count: (_, rows) => rows.length,
    errors: (_, rows) => errorsIn(rows),
    error_rate: (_, rows) => ratio(errorsIn(rows), rows.length),
    unique: (values) => new Set(values.filter((value) => value !== null)).size,
    sum: (values) => numbersIn(values).reduce((sum, value) => sum + value, 0),
    avg: (values) => {
      const numbers = numbersIn(values);
      return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    },
    min: (values) => (numbersIn(values).length === 0 ? null : Math.min(...numbersIn(values))),
    max: (values) => (numbersIn(values).length === 0 ? null : Math.max(...numbersIn(values))),
    p50: (values) => rankOf(numbersIn(values), 0.5),
    p95: (values) => rankOf(numbersIn(values), 0.95),
    p99: (values) => rankOf(numbersIn(values), 0.99),
  };
  const numbersIn = (values: readonly unknown[]): number[] => values.filter((value) => typeof value === 'number');
  const COUNTING = ['count', 'errors', 'error_rate'];
  const series = fc
    .record({
      aggregate: fc.constantFrom('count', 'errors', ...Object.keys(AGGREGATES)),
      number: fc.constantFrom(...NUMBERS),
      any: fc.constantFrom(...FIELDS),
      split_by: fc.option(fc.constantFrom(...FIELDS), { nil: undefined, freq: 3 }),
      interval: fc.constantFrom('auto' as const, 'hour' as const, 'day' as const, 'week' as const),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'),
      top: fc.integer({ min: 1, max: 4 }),
      compare: fc.constantFrom('none', 'previous'),
    })
    .map(({ number, any, ...asked }) => ({
      ...asked,
      aggregate_field: COUNTING.includes(asked.aggregate) ? undefined : asked.aggregate === 'unique' ? any : number,
    }));
  // Doubles have fifteen digits, before the point and behind it.
  const digits = (value: number): number => Math.min(8, 13 - Math.ceil(Math.log10(Math.abs(value))));
  const exactly = (value: number | null): unknown =>
    value === null || Number.isInteger(value) ? value : expect.closeTo(value, digits(value));

  it('gives an aggregate of each bucket, of all values and of the first ones', async () => {
    await check(
      fc.asyncProperty(questions, series, async (question, wanted) => {
        const { asked, isAll } = question;
        const { now, before } = factsOf(question);
        const body = await answer('timeseries', { ...asked, ...wanted });
        const told = (rows: readonly KnownEvent[]): number | null =>
          AGGREGATES[wanted.aggregate]!(
            rows.map((row) => scalarAt(row, wanted.aggregate_field ?? 'event')),
            rows,
          );
        const first = Math.min(...now.map(({ timestamp }) => timestamp.getTime()));
        const asOf = Date.parse(String(body.to_ts));
        const [from, to] = isAll ? [now.length === 0 ? asOf : first, asOf] : [question.from, question.to];
        const interval = wanted.interval === 'auto' ? automaticInterval(from, to) : wanted.interval;
        const starts = bucketStarts(from, to, interval, wanted.timezone);
        const whole = (rows: readonly KnownEvent[], at: readonly Date[]) => ({
          total: exactly(told(rows)),
          points: at.map((start, index) => ({
            ts: start.toISOString(),
            value: exactly(
              told(rows.filter(({ timestamp }) => timestamp >= start && !(timestamp >= (at[index + 1] ?? Infinity)))),
            ),
          })),
        });
        const { split_by } = wanted;
        const groups =
          split_by === undefined
            ? [[null, now] as const]
            : [...count(now, (row) => scalarAt(row, split_by))].sort(
                ([one, a], [other, b]) => (told(b) ?? -Infinity) - (told(a) ?? -Infinity) || compareScalars(one, other),
              );
        const shown = groups.slice(0, wanted.top);
        const rest = groups.slice(wanted.top).flatMap(([, rows]) => rows);
        const hasRest = ['count', 'errors', 'sum'].includes(wanted.aggregate) && groups.length > wanted.top;
        expect(body).toMatchObject({ interval, timezone: wanted.timezone, aggregate: wanted.aggregate });
        expect(body.split_by).toBe(split_by ?? null);
        expect(body.series).toEqual(
          shown.map(([value, rows]) => ({
            value: typeof value === 'string' ? value.slice(0, 200) : value,
            is_missing: split_by !== undefined && value === null,
            ...whole(rows, starts),
          })),
        );
        expect(body.other).toEqual(hasRest ? { value: null, is_missing: false, ...whole(rest, starts) } : null);
        if (wanted.compare === 'none' || before === null) expect(body.previous).toBeNull();
        else {
          const at = bucketStarts(2 * from - to, from, interval, wanted.timezone);
          expect(body.previous).toEqual(whole(before, at));
        }
      }),
    );
  });

  const at = (ms: number): string => new Date(end - ms).toISOString();

  it('divides two hours into minutes', async () => {
    const window = { from_ts: at(2 * HOUR_MS), to_ts: at(0) };
    const minutes = await answer('timeseries', window);
    expect(minutes).toMatchObject({ interval: 'minute', timezone: 'UTC', other: null, previous: null });
    const [{ total, points }] = minutes.series as [{ total: number; points: { ts: string; value: number }[] }];
    expect(points).toHaveLength(120);
    expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(total);
    expect(total).toBe(await explorerTotal(window));
  });

  it("divides into days of the project's time zone", async () => {
    const shop = await tenant();
    await insertEvents(shop.projectId, [{ timestamp: new Date(end - HOUR_MS) }]);
    await countEvents(shop.projectId);
    const settings = { timezone: 'Asia/Kathmandu' };
    await api.as(shop.owner).put(`/v1/projects/${shop.projectId}/settings`, settings).expect(200);
    const days = await answer('timeseries', { range: '7d', interval: 'day' }, shop);
    expect(days.timezone).toBe('Asia/Kathmandu');
    const [{ total, points }] = days.series as [{ total: number; points: { ts: string }[] }];
    expect(total).toBe(1);
    expect(points.map(({ ts }) => ts.slice(11))).toEqual(Array.from({ length: 8 }, () => '18:15:00.000Z'));
  });

  it.each([
    // A zone, two of its days at a change, and how many hours each day that begins has.
    ['Europe/Berlin', '2024-03-30T23:00Z', '2024-04-01T22:00Z', [23, 24]],
    ['Europe/Berlin', '2024-10-26T22:00Z', '2024-10-28T23:00Z', [25, 24]],
    ['America/New_York', '2024-03-10T05:00Z', '2024-03-12T04:00Z', [23, 24]],
    ['America/New_York', '2024-11-03T04:00Z', '2024-11-05T05:00Z', [25, 24]],
    ['Australia/Lord_Howe', '2024-10-05T13:30Z', '2024-10-07T13:00Z', [23.5, 24]],
    ['Asia/Kolkata', '2024-03-09T18:30Z', '2024-03-11T18:30Z', [24, 24]],
    ['Asia/Kathmandu', '2024-03-09T18:15Z', '2024-03-11T18:15Z', [24, 24]],
    ['Pacific/Apia', '2011-12-29T10:00Z', '2011-12-31T10:00Z', [24, 24]],
    ['America/Sao_Paulo', '2018-11-04T03:00Z', '2018-11-06T02:00Z', [23, 24]],
  ])('divides into the days of %s from %s to %s', async (timezone, from, to, hours) => {
    const [from_ts, to_ts] = [new Date(from).toISOString(), new Date(to).toISOString()];
    const zoned = await tenant();
    // One in each half hour, the first and the last millisecond of every day among them.
    const rows: { timestamp: Date }[] = [];
    for (let ms = Date.parse(from_ts); ms < Date.parse(to_ts); ms += HOUR_MS / 2)
      rows.push({ timestamp: new Date(ms) });
    await insertEvents(zoned.projectId, [...rows, { timestamp: new Date(Date.parse(to_ts) - 1) }]);
    await countEvents(zoned.projectId);
    const asked = { from_ts, to_ts, timezone, interval: 'day' };
    // From rollups of hours as from rows, and of requests as of events.
    for (const where of [undefined, 'length(event) == 1']) {
      const { series } = (await answer('timeseries', { ...asked, where }, zoned)) as {
        series: [{ points: { ts: string; value: number }[] }];
      };
      const { points } = series[0];
      expect(points.map(({ value }) => value)).toEqual(
        hours.map((of, at) => 2 * of + (at === hours.length - 1 ? 1 : 0)),
      );
      const begins = [...points.map(({ ts }) => Date.parse(ts)), Date.parse(to_ts)];
      expect(begins[0]).toBe(Date.parse(from_ts));
      expect(hours.map((_, at) => ((begins[at + 1] ?? 0) - (begins[at] ?? 0)) / HOUR_MS)).toEqual(hours);
    }
    const ofRequests = await read(zoned, '/v1/performance/timeseries', asked);
    expect((ofRequests as { points: { requests: number }[] }).points.map(({ requests }) => requests)).toEqual(
      hours.map((of, at) => 2 * of + (at === hours.length - 1 ? 1 : 0)),
    );
  });

  it('has no series and no points in an empty window', async () => {
    const empty = await answer('timeseries', {
      from_ts: at(0),
      to_ts: at(0),
      split_by: 'event',
      compare: 'previous',
    });
    expect(empty).toMatchObject({ series: [], other: null, previous: { total: 0, points: [] } });
  });

  it('aggregates numbers that are as large as numbers can be', async () => {
    const rich = await tenant();
    const huge = [1.7e308, 1.7e308, 5e-324].map((n, index) => ({
      timestamp: new Date(end - index),
      properties: { n },
    }));
    await insertEvents(rich.projectId, huge);
    await countEvents(rich.projectId);
    const told = async (aggregate: string): Promise<unknown> => {
      const asked = { aggregate, aggregate_field: 'properties.n', range: 'all', interval: 'week' };
      const { series } = (await answer('timeseries', asked, rich)) as { series: { total: number }[] };
      return series[0]?.total;
    };
    expect(await told('sum')).toBe(Number.MAX_VALUE);
    expect(await told('max')).toBe(1.7e308);
    expect(await told('min')).toBe(5e-324);
    expect(await told('p50')).toBe(1.7e308);
    expect(Number(await told('avg')) / 1e308).toBeCloseTo(3.4 / 3, 10);
    expect(await told('unique')).toBe(2);
  });

  it('divides all events into years where one of them lies in 1970, and names a window that is too long', async () => {
    const old = await tenant();
    await insertEvents(old.projectId, [
      { timestamp: new Date('1970-06-01T00:00:00Z'), event: 'old' },
      { timestamp: new Date(end - 60_000), event: 'new' },
    ]);
    await countEvents(old.projectId);
    for (const family of ['analytics', 'performance']) {
      const get = (interval: string): Test =>
        api.as(old.owner).get(`/v1/${family}/timeseries`, {
          project_id: old.projectId,
          range: 'all',
          timezone: 'UTC',
          interval,
        });
      const { body } = await get('auto').expect(200);
      const points = (family === 'analytics' ? body.series[0].points : body.points) as {
        ts: string;
        value?: number;
        requests?: number;
      }[];
      expect(body.interval).toBe('year');
      expect(points[0]?.ts).toBe('1970-01-01T00:00:00.000Z');
      expect(points.filter(({ value, requests }) => (value ?? requests) === 1)).toEqual([points[0], points.at(-1)]);
      const refused = await get('week').expect(422);
      expect(refused.body.detail).toMatchObject([
        {
          loc: ['query', 'interval'],
          msg: 'Value error, the window has too many of these intervals',
          input: 'week',
          ctx: { from_ts: '1970-06-01T00:00:00.000Z', to_ts: expect.any(String) },
        },
      ]);
    }
    const whole = await answer('timeseries', { from_ts: '0001-01-01', compare: 'previous' }, old);
    expect(whole.interval).toBe('year');
  });
});

describe('The funnel of analytics', () => {
  const steps = fc.array(fc.constantFrom<string>('a', 'b', 'c.error', 'd'), { minLength: 2, maxLength: 4 });
  const bys = fc.constantFrom(...FIELDS.filter((field) => field !== 'event' && !field.startsWith('log.')));

  it('gives how far every value came, and how fast', async () => {
    await check(
      fc.asyncProperty(
        questions,
        steps,
        bys,
        fc.constantFrom(3_600, 20_000, 604_800),
        async (question, step, by, within_seconds) => {
          const body = await answer('funnel', { ...question.asked, step, by, within_seconds });
          const { now } = factsOf(question);
          const order = [...now].sort(
            (a, b) => a.timestamp.getTime() - b.timestamp.getTime() || (a.id < b.id ? -1 : 1),
          );
          const chains = count(
            order.filter((row) => step.includes(row.event) && scalarAt(row, by) !== null),
            (row) => scalarAt(row, by),
          );
          const best = [...chains.values()].map((rows) => shortestChains(rows, step, within_seconds * 1_000));
          const times = step.map((_, index) => best.flatMap((of) => (of[index] === Infinity ? [] : of[index]!)));
          const reached = times.map(({ length }) => length);
          expect(body).toMatchObject({
            by,
            within_seconds,
            values: chains.size,
            conversion: ratio(reached.at(-1)!, reached[0]!),
          });
          expect(body.steps).toEqual(
            step.map((event, index) => ({
              step: index + 1,
              event,
              reached: reached[index],
              conversion: ratio(reached[index]!, reached[0]!),
              step_conversion: ratio(reached[index]!, reached[Math.max(0, index - 1)]!),
              dropped: index + 1 === step.length ? 0 : reached[index]! - reached[index + 1]!,
              median_seconds: index === 0 ? null : inSeconds(rankOf(times[index]!, 0.5)),
              p95_seconds: index === 0 ? null : inSeconds(rankOf(times[index]!, 0.95)),
            })),
          );
        },
      ),
    );
  });

  const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
  /** For each step the shortest time from any first event to it, step by step from each of them. */
  function shortestChains(rows: readonly KnownEvent[], wanted: readonly string[], within: number): number[] {
    const best = wanted.map(() => Infinity);
    for (const [begin, first] of rows.entries()) {
      if (first.event !== wanted[0]) continue;
      let place = begin;
      for (const [index, event] of wanted.entries()) {
        // The earliest event that goes on is as good as any later one.
        if (index > 0) place = rows.findIndex((row, at) => at > place && row.event === event);
        const row = rows[place];
        if (place < 0 || row === undefined) break;
        const lasted = row.timestamp.getTime() - first.timestamp.getTime();
        if (lasted > within) break;
        best[index] = Math.min(best[index]!, lasted);
      }
    }
    return best;
  }

  it('takes events of one instant in the order of their ids, and each for one step only', async () => {
    const shop = await tenant();
    const at = (second: number, event: string, user: unknown) => ({
      timestamp: new Date(end - HOUR_MS + second * 1_000),
      event,
      properties: { user },
    });
    await insertEvents(shop.projectId, [
      ...[at(0, 'a', 1), at(0, 'b', 1), at(0, 'b', '1'), at(0, 'a', '1')],
      ...[at(0, 'a', 'once'), at(5, 'a', 'twice'), at(9, 'a', 'twice')],
      ...[at(0, 'a', 'late'), at(11, 'b', 'late'), at(1, 'a', 'just'), at(11, 'b', 'just')],
      ...[at(0, 'a', null), at(1, 'b', ['x']), at(1, 'b', { x: 1 })],
    ]);
    const of = async (step: string[], window: RequestQuery = { range: '24h' }): Promise<unknown> => {
      const asked = { step, by: 'properties.user', within_seconds: 10, ...window };
      const { values, steps } = (await answer('funnel', asked, shop)) as { values: number; steps: Json[] };
      return [values, steps.map(({ reached }) => reached)];
    };
    expect(await of(['a', 'b'])).toEqual([6, [6, 2]]);
    // However long ago its window begins.
    expect(await of(['a', 'b'], { from_ts: '0001-01-01', to_ts: '9999-12-31' })).toEqual([6, [6, 2]]);
    expect(await of(['a', 'a'])).toEqual([6, [6, 1]]);
    expect(await of(['b', 'a'])).toEqual([6, [4, 1]]);
  });
});

describe('Analytics', () => {
  it('takes every field of events in the condition of each operation', async () => {
    const sourceId = known.find(({ source_id }) => source_id !== null)?.source_id ?? '';
    const [first] = known;
    const own: [string, (row: KnownEvent) => boolean][] = [
      ['event == "a"', ({ event }) => event === 'a'],
      ['source == "s"', () => true],
      [`source_id == "${sourceId}"`, ({ source_id }) => source_id === sourceId],
      ['severity : "INFO"', ({ severity }) => severity === 'info'],
      ['status == null', ({ status }) => status === null],
      ['environment in ("staging")', ({ environment }) => environment === 'staging'],
      ['message == null', () => true],
      ['external_event_id != null', () => false],
      [`timestamp == "${first?.timestamp.toISOString()}"`, ({ timestamp }) => +timestamp === Number(first?.timestamp)],
      ['log.method like "E*"', ({ log_method }) => log_method === 'EVENT'],
      ['log.endpoint == "/cart"', ({ log_endpoint }) => log_endpoint === '/cart'],
      ['log.status != 200', ({ log_status }) => log_status !== 200],
      ['log.latency_ms >= 25', ({ log_latency_ms }) => (log_latency_ms ?? 0) >= 25],
      [`_id == "${first?.id}"`, ({ id }) => id === first?.id],
      [
        '`a.b` == "pro" or a.b == true',
        ({ properties }) => ['pro', true].includes([properties['a.b']].flat()[0] as never),
      ],
      ['`__proto__` == 1', ({ properties }) => Object.hasOwn(properties, '__proto__') && properties['__proto__'] === 1],
      ['constructor != null or `__proto__`.plan == "none"', () => false],
    ];
    const eventsOf: Readonly<Record<string, { more: RequestQuery; of: (body: Json) => unknown }>> = {
      overview: { more: {}, of: ({ totals }) => (totals as Json).events },
      timeseries: { more: { interval: 'day' }, of: ({ series }) => (series as [{ total: number }?])[0]?.total ?? 0 },
      breakdown: { more: { by: 'log.status' }, of: ({ total }) => (total as Json).events },
    };
    for (const [condition, fits] of own) {
      const expected = known.filter(fits);
      // Said in SQL, and asked of one after the other.
      for (const where of [condition, `(${condition}) or length(message) == 1`]) {
        for (const [operation, { more, of }] of Object.entries(eventsOf)) {
          const body = await answer(operation, { range: 'all', where, ...more });
          expect([operation, where, of(body)]).toEqual([operation, where, expected.length]);
        }
        const funnel = await answer('funnel', { range: 'all', where, by: 'source', step: ['a', 'b'] });
        const isThere = expected.some(({ event }) => event === 'a' || event === 'b');
        expect([where, funnel.values]).toEqual([where, isThere ? 1 : 0]);
      }
    }
  });

  it('keeps to given bounds where the range all is also asked for', async () => {
    const bounds = {
      from_ts: new Date(end - 50 * HOUR_MS).toISOString(),
      to_ts: new Date(end - HOUR_MS).toISOString(),
    };
    const asked: Readonly<Record<string, RequestQuery>> = {
      overview: {},
      timeseries: { interval: 'hour', compare: 'previous' },
      breakdown: { by: 'event' },
      funnel: { by: 'properties.plan', step: ['a', 'b'] },
    };
    for (const [operation, more] of Object.entries(asked)) {
      const told = await answer(operation, { ...more, ...bounds });
      expect(await answer(operation, { ...more, ...bounds, range: 'all' })).toEqual(told);
    }
    const { from_ts } = bounds;
    expect(await answer('overview', { from_ts, range: 'all' })).toMatchObject({ from_ts });
  });

  it('answers for a project without events', async () => {
    const nobody = await tenant();
    const of = (operation: string, asked: RequestQuery): Promise<Json> =>
      answer(operation, { ...asked, range: 'all' }, nobody);
    const whole = { series: [{ value: null, is_missing: false, total: 0, points: [] }], other: null, previous: null };
    expect(await of('timeseries', { compare: 'previous' })).toMatchObject(whole);
    expect(await of('timeseries', { where: 'event == "a"', interval: 'week' })).toMatchObject({ interval: 'week' });
    expect(
      await of('timeseries', { aggregate: 'avg', aggregate_field: 'properties.n', split_by: 'event' }),
    ).toMatchObject({ series: [], split_by: 'event' });
    expect(await of('overview', {})).toMatchObject({
      totals: { events: 0, error_rate: 0, p50_latency_ms: null },
      previous: null,
      change: null,
      last_event_at: null,
    });
    expect(await of('breakdown', { by: 'properties.plan' })).toMatchObject({
      total: { events: 0, errors: 0 },
      items: [],
    });
    expect(await of('funnel', { by: 'properties.plan', step: ['a', 'b'] })).toMatchObject({
      conversion: 0,
      values: 0,
    });
  });

  it('counts what arrives late and out of order as the explorer and the rows do', async () => {
    const busy = await tenant();
    const now = Date.now();
    const offsets = [0, 1, HOUR_MS, HOUR_MS + 1, 25 * HOUR_MS, 3, 49 * HOUR_MS, HOUR_MS - 1, 2 * HOUR_MS, 30];
    for (const [index, ago] of offsets.entries()) {
      const event = {
        event_type: index % 2 === 0 ? 'even' : 'odd',
        source: 'web',
        timestamp: new Date(Math.floor(now / HOUR_MS) * HOUR_MS - ago).toISOString(),
        properties: { n: index, status: index % 3 === 0 ? 'error' : 'ok' },
      };
      await api.as(busy.key).post('/v1/events/ingest', event).expect(200);
      const range = index % 2 === 0 ? '24h' : 'all';
      const overview = (await answer('overview', { range }, busy)) as { totals: Json };
      const series = (await answer('timeseries', { range }, busy)) as { series: { total: number }[] };
      const breakdown = await answer('breakdown', { range, by: 'event' }, busy);
      const rowwise = await answer('breakdown', { range, by: 'properties.n' }, busy);
      const row = await storedTotals(busy.projectId, range);
      expect(await explorerTotal({ range }, busy)).toBe(row.events);
      expect(overview.totals).toMatchObject(row);
      expect(series.series[0]?.total).toBe(row.events);
      expect(breakdown.total).toEqual(row);
      expect(rowwise.total).toEqual(row);
      const requests = await read(busy, '/v1/performance/summary', { range });
      expect(requests).toMatchObject({ requests: row.events, errors: row.errors });
      const { body: found } = await api
        .as(busy.owner)
        .post('/v1/eql', { range, project_id: busy.projectId, query: 'any where n >= 0' })
        .expect(200);
      const told = (found as { events: { timestamp: string }[] }).events.map(({ timestamp }) => timestamp);
      expect([told.length, told]).toEqual([row.events, [...told].sort()]);
    }
  });

  it('gives each answer of one moment, while events arrive in no order', async () => {
    const busy = await tenant();
    const begin = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const batches = 25;
    const sender = { isBusy: true };
    const sendAll = async (): Promise<void> => {
      for (let sent = 0; sent < batches; sent += 1) {
        // In the hour that goes on, at its beginning, late by hours and by days.
        const events = [0, 1, HOUR_MS - 1, HOUR_MS, 30 * HOUR_MS, 200 * HOUR_MS].map((ago, at) => ({
          event_type: at % 2 === 0 ? 'even' : 'odd',
          source: 'web',
          timestamp: new Date(begin - ago + (sent % 3)).toISOString(),
          properties: { n: at, status_code: at === 0 ? 500 : 200 },
        }));
        await Promise.all(events.map((event) => api.as(busy.key).post('/v1/events/ingest', event).expect(200)));
      }
    };
    const sending = sendAll().finally(() => {
      sender.isBusy = false;
    });
    // Whoever waits for it is told why it failed.
    sending.catch(() => undefined);
    const sum = (rows: readonly number[]): number => rows.reduce((all, one) => all + one, 0);
    const asked = { range: '30d' };
    let last = 0;
    while (sender.isBusy) {
      const overview = (await answer('overview', asked, busy)) as {
        totals: { events: number };
        top_events: { events: number }[];
      };
      // What was told once stays so.
      expect(overview.totals.events).toBeGreaterThanOrEqual(last);
      last = overview.totals.events;
      expect(sum(overview.top_events.map(({ events }) => events))).toBe(last);
      for (const where of [undefined, 'properties.n + 1 > 0']) {
        const split = { ...asked, where, interval: 'hour', split_by: 'event' };
        const series = (await answer('timeseries', split, busy)) as {
          series: { total: number; points: { value: number }[] }[];
        };
        const totals = series.series.map(({ total }) => total);
        expect(series.series.map(({ points }) => sum(points.map(({ value }) => value)))).toEqual(totals);
        const parts = (await answer('breakdown', { ...asked, where, by: 'properties.n' }, busy)) as {
          total: { events: number };
          items: { events: number }[];
        };
        expect(sum(parts.items.map(({ events }) => events))).toBe(parts.total.events);
      }
      const { failed, by_status } = (await read(busy, '/v1/performance/errors', asked)) as {
        failed: number;
        by_status: { requests: number }[];
      };
      expect(sum(by_status.map(({ requests }) => requests))).toBe(failed);
    }
    await sending;
    expect(await answer('overview', asked, busy)).toMatchObject({
      totals: { events: 6 * batches, errors: batches },
    });
  });

  it('answers the examples of the guide as the guide shows', async () => {
    const guide = readFileSync('docs/guide/analytics.md', 'utf8');
    const shop = await tenant();
    const cells = [...guide.matchAll(/^\| (\d\d:\d\d) \|(.*)\|$/gm)].map(([, time = '', rest = '']) => {
      const [event, plan, user, amount, status] = rest.split('|').map((cell) => cell.trim().replaceAll('`', ''));
      const number = { ...(amount && { amount: Number(amount) }), user: JSON.parse(user ?? '') as unknown };
      return {
        timestamp: new Date(`2026-03-02T${time}:00Z`),
        event: event ?? '',
        log_status: Number(status),
        properties: { ...number, ...(plan && { plan }) },
      };
    });
    await insertEvents(shop.projectId, cells);
    await countEvents(shop.projectId);
    const examples = [...guide.matchAll(/```http\nGET (.*)\n```(?:\n\n```json\n([^`]*)```)?/g)];
    expect([cells.length, examples.length]).toEqual([6, 5]);
    for (const [, path = '', written] of examples) {
      const { body } = await api.as(shop.owner).get(`${path}&project_id=${shop.projectId}`).expect(200);
      if (written !== undefined) expect(body).toMatchObject(JSON.parse(written) as Json);
    }
  });

  const field = 'unknown field; fields are ';
  it.each<[string, RequestQuery, string, string, string]>([
    [
      'timeseries',
      { interval: 'minute', range: '7d' },
      'interval',
      'value_error',
      'the window has too many of these intervals',
    ],
    ['timeseries', { interval: 'hour', from_ts: '0001-01-01' }, 'interval', 'value_error', 'the window has too many'],
    [
      'timeseries',
      { timezone: 'Mars/Base' },
      'timezone',
      'value_error',
      'timezone must be the IANA name of a time zone',
    ],
    ['timeseries', { timezone: '+01:00' }, 'timezone', 'value_error', 'timezone must be the IANA name'],
    ['timeseries', { interval: 'month' }, 'interval', 'literal_error', ''],
    ['timeseries', { aggregate: 'p90' }, 'aggregate', 'literal_error', ''],
    ['timeseries', { aggregate: 'sum' }, 'aggregate_field', 'missing', 'Field required'],
    ['timeseries', { aggregate: 'unique' }, 'aggregate_field', 'missing', 'Field required'],
    [
      'timeseries',
      { aggregate_field: 'properties.n' },
      'aggregate_field',
      'value_error',
      'count counts events and takes no aggregate_field',
    ],
    [
      'timeseries',
      { aggregate: 'error_rate', aggregate_field: 'properties.n' },
      'aggregate_field',
      'value_error',
      'error_rate counts',
    ],
    [
      'timeseries',
      { aggregate: 'avg', aggregate_field: 'event' },
      'aggregate_field',
      'value_error',
      'aggregate_field is a property or a field that holds numbers',
    ],
    ['timeseries', { aggregate: 'unique', aggregate_field: 'size' }, 'aggregate_field', 'value_error', field],
    ['timeseries', { split_by: 'message' }, 'split_by', 'value_error', 'split_by is no field of events'],
    ['timeseries', { top: 0 }, 'top', 'greater_than_equal', ''],
    ['timeseries', { top: 21 }, 'top', 'less_than_equal', ''],
    ['timeseries', { compare: 'next' }, 'compare', 'literal_error', ''],
    ['breakdown', {}, 'by', 'missing', 'Field required'],
    ['breakdown', { by: '' }, 'by', 'value_error', 'by is no field of events'],
    ['breakdown', { by: 'message' }, 'by', 'value_error', 'by is no field of events'],
    ['breakdown', { by: 'log.latency_ms' }, 'by', 'value_error', 'by is no field of events'],
    ['breakdown', { by: 'constructor' }, 'by', 'value_error', 'by is no field of events'],
    ['breakdown', { by: 'properties.' }, 'by', 'value_error', 'by is no field of events'],
    ['breakdown', { by: `properties${'.a'.repeat(17)}` }, 'by', 'value_error', 'by is no field of events'],
    ['breakdown', { by: 'event', limit: 101 }, 'limit', 'less_than_equal', ''],
    ['funnel', { by: 'log.method', step: ['a', 'b'] }, 'by', 'value_error', 'by is no field of events'],
    ['funnel', { by: 'event', step: ['a', 'b'] }, 'by', 'value_error', 'by is no field of events'],
    ['funnel', { by: 'source' }, 'step', 'missing', 'Field required'],
    [
      'funnel',
      { by: 'source', step: ['a'] },
      'step',
      'too_short',
      'List should have at least 2 items after validation, not 1',
    ],
    [
      'funnel',
      { by: 'source', step: Array.from({ length: 11 }, () => 'a') },
      'step',
      'too_long',
      'List should have at most 10 items',
    ],
    ['funnel', { by: 'source', step: ['a', 'b'], within_seconds: 0 }, 'within_seconds', 'greater_than_equal', ''],
    ['funnel', { by: 'source', step: ['a', 'b'], within_seconds: 2_592_001 }, 'within_seconds', 'less_than_equal', ''],
    ['overview', { where: '' }, 'where', 'string_too_short', ''],
    ['overview', { where: `event == "${'x'.repeat(2_000)}"` }, 'where', 'string_too_long', ''],
    ['overview', { where: 'event = "a"' }, 'where', 'value_error', 'line 1, column 7'],
    ['overview', { where: 'a where b' }, 'where', 'value_error', 'line 1, column 3'],
    ['breakdown', { by: 'event', where: 'nothing(event)' }, 'where', 'value_error', 'line 1, column 1'],
    [
      'overview',
      { from_ts: '2026-01-02', to_ts: '2026-01-01' },
      'to_ts',
      'value_error',
      'to_ts must not be before from_ts',
    ],
    ['overview', { range: '2d' }, 'range', 'literal_error', ''],
    ['overview', { source_id: 'x' }, 'source_id', 'uuid_parsing', ''],
    ['overview', { severity: 'x'.repeat(51) }, 'severity', 'string_too_long', ''],
  ])('returns 422 from %s for %j', async (operation, asked, name, type, sentence) => {
    const { body } = await ask(operation, asked).expect(422);
    const [row, ...others] = (body as { detail: { type: string; loc: string[]; msg: string }[] }).detail;
    expect(others).toEqual([]);
    expect(row).toMatchObject({ type, loc: ['query', name] });
    expect(row?.msg).toContain(sentence);
  });

  it.each<[string, RequestQuery]>([
    ['overview', {}],
    ['timeseries', {}],
    ['breakdown', { by: 'event' }],
    ['funnel', { by: 'source', step: ['a', 'b'] }],
  ])('lets only members of a project read its %s', async (operation, query) => {
    await ask(operation, query, acme, await acme.viewer()).expect(200);
    await ask(operation, query, acme, globex.owner).expect(403, { detail: 'Not a project member' });
    await ask(operation, query, acme, { accessToken: 'none' }).expect(401);
    await ask(operation, { ...query, project_id: acme.organizationId }).expect(404, { detail: 'Project not found' });
  });

  it('shows nothing of the Event Source of another tenant', async () => {
    const shop = await tenant();
    const { id } = await createSource(shop);
    await insertEvents(shop.projectId, [{ timestamp: new Date(end - HOUR_MS), event: 'a', source_id: id }]);
    await countEvents(shop.projectId);
    const asked = { source_id: id, range: 'all' };
    expect(await answer('overview', asked, shop)).toMatchObject({ totals: { events: 1, sources: 1 } });
    expect(await answer('overview', asked)).toMatchObject({ totals: { events: 0, sources: 0 }, top_events: [] });
    expect(await answer('timeseries', { ...asked, split_by: 'event' })).toMatchObject({ series: [] });
    expect(await answer('breakdown', { ...asked, by: 'source_id' })).toMatchObject({ items: [], distinct: 0 });
    expect(await answer('funnel', { ...asked, by: 'source', step: ['a', 'b'] })).toMatchObject({ values: 0 });
  });
});
