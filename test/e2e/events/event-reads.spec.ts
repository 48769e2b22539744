import { beforeAll, describe, expect, it } from '@jest/globals';
import { api, outsider, type Tenant, tenant } from '../../support/service.js';
import { insertEvents } from '../../support/sql-builders/event-rows.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Page {
  items: { id: string; timestamp: string; event: string }[];
  next_before: string | null;
}

interface Counts {
  project_id: string;
  range: string;
  interval: string;
  from_ts: string;
  to_ts: string;
  total_events: number;
  counts: { ts: string; events: number; errors: number }[];
}

const read = ({ owner, projectId }: Tenant, path: string, query: object = {}) =>
  api.as(owner).get(path, { project_id: projectId, ...query });
const ingest = ({ key }: Tenant, body: object) =>
  api
    .as(key)
    .post('/v1/events/ingest', { event_type: 'e', source: 's', ...body })
    .expect(200);

describe('The list of raw events', () => {
  const page = async (of: Tenant, query: object = {}): Promise<Page> =>
    (await read(of, '/v1/events', query).expect(200)).body as Page;

  it('is empty in a new project', async () => {
    expect(await page(await tenant())).toEqual({ items: [], next_before: null });
  });

  it('pages by cursor over events of one instant, unmoved by what arrives meanwhile', async () => {
    const acme = await tenant();
    const { projectId } = acme;
    const start = Date.now();
    const timestamps = Array.from({ length: 20 }, (_, index) => new Date(start - Math.floor(index / 6) * 1000));
    await insertEvents(
      projectId,
      timestamps.map((timestamp) => ({ timestamp })),
    );
    const expected = (await page(acme, { limit: 500 })).items.map(({ id }) => id);
    expect(expected).toHaveLength(20);
    const seen: string[] = [];
    let before: string | null = null;
    do {
      const answer: Page = await page(acme, { limit: 7, ...(before === null ? {} : { before }) });
      seen.push(...answer.items.map(({ id }) => id));
      before = answer.next_before;
      await insertEvents(projectId, [{ timestamp: new Date(start + 1000) }]);
    } while (before !== null);
    expect(seen).toEqual(expected);
    const newest = await page(acme, { limit: 1 });
    expect(Date.parse(newest.items[0]?.timestamp ?? '')).toBe(start + 1000);
    expect((await page(acme, { limit: 23 })).next_before).toBeNull();
    expect((await page(acme, { limit: 22 })).next_before).toEqual(expect.any(String));
  });

  it.each([
    ['severity == "rare"', 6],
    ['log.status >= 200 and length(severity) == 4', 6],
    ['severity == "rare" and event == "nothing"', 0],
  ])('pages by cursor over the events of all times that match %s', async (where, count) => {
    const acme = await tenant();
    const years = [1, 1969, 2015, 2024, 2024, 9999].map((year) => new Date(new Date(0).setUTCFullYear(year)));
    await insertEvents(
      acme.projectId,
      years.flatMap((timestamp) => ['rare', 'frequent'].map((severity) => ({ timestamp, severity }))),
    );
    const seen: Page['items'] = [];
    let before: string | null = null;
    do {
      const answer: Page = await page(acme, { limit: 2, where, ...(before === null ? {} : { before }) });
      seen.push(...answer.items);
      before = answer.next_before;
    } while (before !== null);
    const rare = (await page(acme)).items.filter((item) => (item as { severity?: string }).severity === 'rare');
    expect(seen).toEqual(rare.slice(0, count));
    expect(seen).toHaveLength(count);
  });

  it('returns 422 for a condition that is no EQL', async () => {
    const { body } = await read(await tenant(), '/v1/events', { where: 'event == ' }).expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'where'] }] });
  });

  const cursorAt = (ms: number): string =>
    Buffer.from(`${ms}:0199f3a1-0000-7000-8000-000000000000`).toString('base64url');
  const OUT_OF_RANGE = [-210_866_803_200_001, -62_135_596_800_001, 253_402_300_800_000, 8.64e15].map(cursorAt);

  it.each(['x', '', 'MTcwMDAwMDAwMDAwMA', '%00', ...OUT_OF_RANGE])('returns 422 for the cursor %j', async (before) => {
    const answer = await read(await tenant(), '/v1/events', { before }).expect(422);
    expect(answer.body).toEqual({
      detail: [
        {
          type: 'value_error',
          loc: ['query', 'before'],
          msg: 'Value error, before must be the next_before of an earlier answer',
          input: before,
          ctx: { error: {} },
        },
      ],
    });
  });

  it('takes limits from 1 to 500, 50 if none is given', async () => {
    const acme = await tenant();
    await insertEvents(
      acme.projectId,
      Array.from({ length: 60 }, () => ({ timestamp: new Date() })),
    );
    expect((await page(acme)).items).toHaveLength(50);
    for (const limit of ['0', '501', 'x']) await read(acme, '/v1/events', { limit }).expect(422);
  });

  it('shows events with the time they were accepted', async () => {
    const acme = await tenant();
    await ingest(acme, { event_type: 'one', timestamp: '2015-05-17T10:05:03.123Z', payload: { a: 1 } });
    const [item] = (await page(acme)).items;
    expect(item).toMatchObject({
      event: 'one',
      timestamp: '2015-05-17T10:05:03.123Z',
      created_at: expect.stringMatching(/^20[2-9]\d-.*Z$/),
      properties: { a: 1, source: 's' },
    });
  });
});

describe('The series of event counts', () => {
  let acme: Tenant;
  const counts = async (query: object, of = acme): Promise<Counts> =>
    (await read(of, '/v1/events/counts', query).expect(200)).body as Counts;

  beforeAll(async () => {
    acme = await tenant();
    const ages = [1, 2, 3, 20, 50, 70, 100, 300, 1300, 2000, 9000, 20_000, 50_000];
    for (const [index, minutes] of ages.entries())
      await ingest(acme, {
        timestamp: new Date(Date.now() - minutes * MINUTE_MS).toISOString(),
        status: index % 2 ? 'failed' : 'ok',
      });
  });

  it.each([
    ['15m', undefined, 'minute', 3, MINUTE_MS],
    ['15m', 'hour', 'hour', 3, HOUR_MS],
    ['1h', undefined, 'minute', 5, MINUTE_MS],
    ['1h', 'day', 'day', 5, DAY_MS],
    ['24h', undefined, 'hour', 9, HOUR_MS],
    ['24h', 'minute', 'minute', 9, MINUTE_MS],
    ['7d', undefined, 'hour', 11, HOUR_MS],
    ['7d', 'day', 'day', 11, DAY_MS],
    ['30d', undefined, 'day', 12, DAY_MS],
    ['30d', 'hour', 'hour', 12, HOUR_MS],
  ])('has no gaps over the range %s with the interval %s', async (range, interval, used, total, step) => {
    const answer = await counts({ range, interval });
    expect(answer).toMatchObject({ project_id: acme.projectId, range, interval: used, total_events: total });
    const [from, to] = [Date.parse(answer.from_ts), Date.parse(answer.to_ts)];
    const times = answer.counts.map(({ ts }) => Date.parse(ts));
    expect(times).toEqual(
      Array.from({ length: times.length }, (_, index) => Math.floor(from / step) * step + index * step),
    );
    expect(times.at(-1)! < to && to <= times.at(-1)! + step).toBe(true);
    expect(answer.counts.reduce((sum, { events }) => sum + events, 0)).toBe(total);
    expect(answer.counts.reduce((sum, { errors }) => sum + errors, 0)).toBe(Math.floor(total / 2));
  });

  it('begins with the first event over the range all', async () => {
    const answer = await counts({ range: 'all' });
    expect(answer).toMatchObject({ from_ts: '1970-01-01T00:00:00.000Z', interval: 'day', total_events: 13 });
    expect(answer.counts[0]?.events).toBe(1);
    const [first, last] = [answer.counts[0]?.ts ?? '', answer.to_ts].map((time) =>
      Math.floor(Date.parse(time) / DAY_MS),
    );
    expect(answer.counts).toHaveLength((last ?? 0) - (first ?? 0) + 1);
    expect((await counts({ range: 'all' }, await tenant())).counts).toEqual([]);
  });

  it.each([
    ['7d', 'minute', 'day, hour'],
    ['30d', 'minute', 'day, hour'],
    ['all', 'hour', 'day'],
  ])('returns 422 over the range %s with the interval %s', async (range, interval, allowed) => {
    const answer = await read(acme, '/v1/events/counts', { range, interval }).expect(422);
    expect(answer.body).toEqual({
      detail: [
        {
          type: 'value_error',
          loc: ['query', 'interval'],
          msg: `Value error, interval must be one of: ${allowed} when range is ${range}`,
          input: interval,
          ctx: { error: {} },
        },
      ],
    });
  });
});

describe('The list of event names', () => {
  it('has the count of each name, the most frequent name first', async () => {
    const acme = await tenant();
    for (const event_type of ['b', 'a', 'c', 'c', 'Ä']) await ingest(acme, { event_type });
    await ingest(acme, { event_type: 'old', timestamp: new Date(Date.now() - 3 * DAY_MS).toISOString() });
    const names = async (query: object) => (await read(acme, '/v1/events/names', query).expect(200)).body as unknown;
    const today = [
      { event: 'c', total: 2 },
      { event: 'a', total: 1 },
      { event: 'b', total: 1 },
      { event: 'Ä', total: 1 },
    ];
    expect(await names({})).toEqual(today);
    expect(await names({ range: '7d' })).toEqual([...today.slice(0, 3), { event: 'old', total: 1 }, ...today.slice(3)]);
  });
});

describe('A raw event', () => {
  it.each(['/v1/events', '/v1/events/counts', '/v1/events/names'])(
    'is shown by %s to viewers and not to outsiders',
    async (path) => {
      const acme = await tenant();
      const [viewer, stranger] = [await acme.viewer(), await outsider()];
      const query = { project_id: acme.projectId };
      await api.as(viewer).get(path, query).expect(200);
      await api.as(stranger).get(path, query).expect(403, { detail: 'Not a project member' });
      await api.as(viewer).get(path).expect(422);
    },
  );
});
