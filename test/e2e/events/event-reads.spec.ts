import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { insertEvents } from '../../support/event-rows.js';

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

describe('raw events', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const get = (path: string, query: object, who = owner) =>
    app
      .request()
      .get(path)
      .set('Authorization', who.bearer)
      .query({ project_id: who.projectId, ...query });
  const ingest = (body: object, who = owner) =>
    app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', who.apiKey)
      .send({ event_type: 'e', source: 's', ...body })
      .expect(200);

  describe('list', () => {
    const page = async (query: object, who = owner): Promise<Page> =>
      (await get('/v1/events', query, who).expect(200)).body as Page;

    it('is empty at first', async () => {
      expect(await page({})).toEqual({ items: [], next_before: null });
    });

    it('pages by cursor over events of one instant, unmoved by what arrives meanwhile', async () => {
      const start = Date.now();
      const timestamps = Array.from({ length: 20 }, (_, index) => new Date(start - Math.floor(index / 6) * 1000));
      await insertEvents(
        app,
        owner.projectId,
        timestamps.map((timestamp) => ({ timestamp })),
      );
      const expected = (await page({ limit: 500 })).items.map(({ id }) => id);
      expect(expected).toHaveLength(20);
      const seen: string[] = [];
      let before: string | null = null;
      do {
        const answer: Page = await page({ limit: 7, ...(before === null ? {} : { before }) });
        seen.push(...answer.items.map(({ id }) => id));
        before = answer.next_before;
        await insertEvents(app, owner.projectId, [{ timestamp: new Date(start + 1000) }]);
      } while (before !== null);
      expect(seen).toEqual(expected);
      const newest = await page({ limit: 1 });
      expect(Date.parse(newest.items[0]?.timestamp ?? '')).toBe(start + 1000);
      expect((await page({ limit: 23 })).next_before).toBeNull();
      expect((await page({ limit: 22 })).next_before).toEqual(expect.any(String));
    });

    const of = (ms: number): string => Buffer.from(`${ms}:0199f3a1-0000-7000-8000-000000000000`).toString('base64url');
    const BEYOND = [-210_866_803_200_001, -62_135_596_800_001, 253_402_300_800_000, 8.64e15].map(of);

    it.each(['x', '', 'MTcwMDAwMDAwMDAwMA', '%00', ...BEYOND])('refuses the cursor %j', async (before) => {
      const answer = await get('/v1/events', { before }).expect(422);
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
      const many = await ownerWithProject(app);
      await insertEvents(
        app,
        many.projectId,
        Array.from({ length: 60 }, () => ({ timestamp: new Date() })),
      );
      expect((await page({}, many)).items).toHaveLength(50);
      for (const limit of ['0', '501', 'x']) await get('/v1/events', { limit }).expect(422);
    });

    it('gives events with the time they were accepted', async () => {
      const other = await ownerWithProject(app);
      await ingest({ event_type: 'one', timestamp: '2015-05-17T10:05:03.123Z', payload: { a: 1 } }, other);
      const [item] = (await page({}, other)).items;
      expect(item).toMatchObject({
        event: 'one',
        timestamp: '2015-05-17T10:05:03.123Z',
        created_at: expect.stringMatching(/^20[2-9]\d-.*Z$/),
        properties: { a: 1, source: 's' },
      });
    });
  });

  describe('counts', () => {
    let busy: Owner;
    const counts = async (query: object, who = busy): Promise<Counts> =>
      (await get('/v1/events/counts', query, who).expect(200)).body as Counts;

    beforeAll(async () => {
      busy = await ownerWithProject(app);
      const ages = [1, 2, 3, 20, 50, 70, 100, 300, 1300, 2000, 9000, 20_000, 50_000];
      for (const [index, minutes] of ages.entries())
        await ingest(
          { timestamp: new Date(Date.now() - minutes * MINUTE_MS).toISOString(), status: index % 2 ? 'failed' : 'ok' },
          busy,
        );
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
    ])('over %s by %s are without gaps', async (range, interval, used, total, step) => {
      const answer = await counts({ range, interval });
      expect(answer).toMatchObject({ project_id: busy.projectId, range, interval: used, total_events: total });
      const [from, to] = [Date.parse(answer.from_ts), Date.parse(answer.to_ts)];
      const times = answer.counts.map(({ ts }) => Date.parse(ts));
      expect(times).toEqual(
        Array.from({ length: times.length }, (_, index) => Math.floor(from / step) * step + index * step),
      );
      expect(times.at(-1)! < to && to <= times.at(-1)! + step).toBe(true);
      expect(answer.counts.reduce((sum, { events }) => sum + events, 0)).toBe(total);
      expect(answer.counts.reduce((sum, { errors }) => sum + errors, 0)).toBe(Math.floor(total / 2));
    });

    it('over all begin with the first event', async () => {
      const answer = await counts({ range: 'all' });
      expect(answer).toMatchObject({ from_ts: '1970-01-01T00:00:00.000Z', interval: 'day', total_events: 13 });
      expect(answer.counts[0]?.events).toBe(1);
      expect(answer.counts).toHaveLength(
        Math.floor(Date.now() / DAY_MS) - Math.floor((Date.now() - 50_000 * MINUTE_MS) / DAY_MS) + 1,
      );
      expect((await counts({ range: 'all' }, await ownerWithProject(app))).counts).toEqual([]);
    });

    it.each([
      ['7d', 'minute', 'day, hour'],
      ['30d', 'minute', 'day, hour'],
      ['all', 'hour', 'day'],
    ])('over %s by %s are refused', async (range, interval, allowed) => {
      const answer = await get('/v1/events/counts', { range, interval }, busy).expect(422);
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

  it('names come with their counts, the most frequent first', async () => {
    const other = await ownerWithProject(app);
    for (const event_type of ['b', 'a', 'c', 'c', 'Ä']) await ingest({ event_type }, other);
    await ingest({ event_type: 'old', timestamp: new Date(Date.now() - 3 * DAY_MS).toISOString() }, other);
    const names = async (query: object) => (await get('/v1/events/names', query, other).expect(200)).body as unknown;
    const today = [
      { event: 'c', total: 2 },
      { event: 'a', total: 1 },
      { event: 'b', total: 1 },
      { event: 'Ä', total: 1 },
    ];
    expect(await names({})).toEqual(today);
    expect(await names({ range: '7d' })).toEqual([...today.slice(0, 3), { event: 'old', total: 1 }, ...today.slice(3)]);
  });

  it('are open to viewers and closed to strangers', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    const stranger = await ownerWithProject(app);
    for (const path of ['/v1/events', '/v1/events/counts', '/v1/events/names']) {
      const ask = (bearer: string) =>
        app.request().get(path).set('Authorization', bearer).query({ project_id: owner.projectId });
      await ask(viewer.bearer).expect(200);
      await ask(stranger.bearer).expect(403, { detail: 'Not a project member' });
      await app.request().get(path).set('Authorization', viewer.bearer).expect(422);
    }
  });
});
