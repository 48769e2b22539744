import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { monthOf, utcDay } from '../../support/utc-day.js';

const DAY_MS = 86_400_000;
const START = Date.now();
const daysAgo = (days: number): string => new Date(START - days * DAY_MS).toISOString();

describe('usage', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
    const times = { a: [0.01, 0.02, 0.03, 3, 20], b: [0.5, 40], c: [6.9, 7.1, 29.9] };
    for (const [event_type, days] of Object.entries(times)) {
      for (const day of days) {
        await app
          .request()
          .post('/v1/events/ingest')
          .set('X-API-Key', owner.apiKey)
          .send({ event_type, source: 's', timestamp: daysAgo(day) })
          .expect(200);
      }
    }
  });
  afterAll(() => app.close());

  const get = (path: string, bearer = owner.bearer) => app.request().get(path).set('Authorization', bearer);
  const usage = async (query: string) =>
    (await get(`/v1/usage?project_id=${owner.projectId}${query}`).expect(200)).body as Record<string, unknown>;

  it.each([
    [
      '24h',
      4,
      [
        ['a', 3],
        ['b', 1],
      ],
    ],
    [
      '7d',
      6,
      [
        ['a', 4],
        ['b', 1],
        ['c', 1],
      ],
    ],
    [
      '30d',
      9,
      [
        ['a', 5],
        ['c', 3],
        ['b', 1],
      ],
    ],
  ])('counts by event over %s, largest first', async (period, total, byEvent) => {
    const before = Date.now();
    const answer = await usage(`&period=${period}`);
    expect(answer).toEqual({
      project_id: owner.projectId,
      project_name: 'Web shop',
      period,
      from_ts: expect.any(String),
      to_ts: expect.any(String),
      total_events: total,
      by_event: byEvent.map(([event, count]) => ({ event, total: count })),
    });
    const [from, to] = [Date.parse(String(answer.from_ts)), Date.parse(String(answer.to_ts))];
    expect(to - from).toBe({ '24h': 1, '7d': 7, '30d': 30 }[period]! * DAY_MS);
    expect(to).toBeGreaterThanOrEqual(before);
    expect(to).toBeLessThanOrEqual(Date.now());
  });

  it('defaults to 30 days, and month is the whole UTC month', async () => {
    expect(await usage('')).toMatchObject({ period: '30d', total_events: 9 });
    const { month, nextMonth } = monthOf(await utcDay());
    expect(await usage('&period=month')).toMatchObject({
      from_ts: `${month}T00:00:00.000Z`,
      to_ts: `${nextMonth}T00:00:00.000Z`,
    });
  });

  it('refuses another period with its sentence', async () => {
    await get(`/v1/usage?project_id=${owner.projectId}&period=1y`).expect(422, {
      detail: 'period must be one of: 24h, 7d, 30d, month',
    });
  });

  it('gives days with events alone, ascending', async () => {
    const answer = await get(`/v1/projects/${owner.projectId}/usage/daily`).expect(200);
    const { usage: days } = answer.body as { usage: { date: string; events: number }[] };
    const expected = new Map<string, number>();
    for (const day of [0.01, 0.02, 0.03, 3, 20, 0.5, 6.9, 7.1, 29.9]) {
      const date = daysAgo(day).slice(0, 10);
      expected.set(date, (expected.get(date) ?? 0) + 1);
    }
    expect(days.map(({ date, events }) => [date, events])).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(
      ((await get(`/v1/projects/${owner.projectId}/usage/daily?days=365`)).body as { usage: unknown[] }).usage,
    ).toHaveLength(expected.size + 1);
    for (const days of ['0', '366', 'x'])
      await get(`/v1/projects/${owner.projectId}/usage/daily?days=${days}`).expect(422);
  });

  it("sums the month over the organization's projects, with the explicit limit alone", async () => {
    const current = async () =>
      (await app.request().get('/v1/usage/current').set('X-API-Key', owner.apiKey).expect(200)).body as Record<
        string,
        unknown
      >;
    const { month: from, nextMonth: to } = monthOf(await utcDay());
    const record = {
      organization_id: owner.organizationId,
      month: from.slice(0, 7),
      from_day: from,
      to_day: to,
      reset_day: to,
      events_used: 10,
      events_limit: null,
      events_remaining: null,
    };
    expect(await current()).toEqual(record);
    await app.rows(`UPDATE organizations SET plan = 'pro', events_per_month_limit = 4 WHERE id = $1`, [
      owner.organizationId,
    ]);
    expect(await current()).toEqual({ ...record, events_limit: 4, events_remaining: 0 });
    await app.rows('UPDATE organizations SET events_per_month_limit = 0 WHERE id = $1', [owner.organizationId]);
    expect(await current()).toMatchObject({ events_limit: 0, events_remaining: 0 });
    await app.rows('UPDATE organizations SET events_per_month_limit = 25 WHERE id = $1', [owner.organizationId]);
    expect(await current()).toMatchObject({ events_limit: 25, events_remaining: 15 });

    const body = { organization_id: owner.organizationId, name: 'Second', slug: 'second' };
    const project = (await app.request().post('/v1/projects').set('Authorization', owner.bearer).send(body).expect(201))
      .body as { id: string };
    const key = (
      await app
        .request()
        .post('/v1/api-keys')
        .set('Authorization', owner.bearer)
        .send({ project_id: project.id, name: 'k' })
        .expect(201)
    ).body as { key: string };
    await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', key.key)
      .send({ event_type: 'x', source: 's' })
      .expect(200);
    expect(await current()).toMatchObject({ events_used: 11 });
  });

  it('meters successful API-key requests alone', async () => {
    const fresh = await ownerWithProject(app);
    const ingest = (key: string, body: object) =>
      app.request().post('/v1/events/ingest').set('X-API-Key', key).send(body);
    await ingest(fresh.apiKey, { event_type: 'x', source: 's' }).expect(200);
    await app.request().get('/v1/api-keys/me').set('X-API-Key', fresh.apiKey).expect(200);
    await ingest(fresh.apiKey, {}).expect(422);
    await app.request().get('/health').set('X-API-Key', fresh.apiKey).expect(200);
    await app.request().get('/v1/auth/me').set('Authorization', fresh.bearer).expect(200);
    await app
      .request()
      .get('/v1/auth/me')
      .set('Authorization', fresh.bearer)
      .set('X-API-Key', fresh.apiKey)
      .expect(200);
    const metered = () =>
      app.rows<{ requests: number; events: number }>(
        'SELECT requests::int, events_ingested::int AS events FROM usage_daily WHERE project_id = $1 AND api_key_id = $2',
        [fresh.projectId, fresh.apiKeyId],
      );
    await eventually(metered, ([counted]) => counted?.requests === 3);
    expect(await metered()).toEqual([{ requests: 3, events: 1 }]);
  });

  it('writes what it has counted when it stops', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl });
    const fresh = await ownerWithProject(app);
    for (let index = 0; index < 7; index += 1)
      await second.request().get('/v1/api-keys/me').set('X-API-Key', fresh.apiKey).expect(200);
    await second.close();
    const rows = await app.rows('SELECT requests::int FROM usage_daily WHERE project_id = $1', [fresh.projectId]);
    expect(rows).toEqual([{ requests: 7 }]);
    const [key] = await app.rows<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_keys WHERE id = $1', [
      fresh.apiKeyId,
    ]);
    expect(key?.last_used_at).toBeInstanceOf(Date);
  });

  it('does not fail a request when the metering table is gone', async () => {
    const lame = await createTestApp();
    try {
      const fresh = await ownerWithProject(lame);
      await lame.rows('ALTER TABLE usage_daily RENAME TO usage_elsewhere');
      await lame.request().get('/v1/api-keys/me').set('X-API-Key', fresh.apiKey).expect(200);
    } finally {
      await lame.close();
    }
  });

  it('is open to viewers and closed to strangers', async () => {
    const viewer = await addMember(app, owner, 'viewer');
    const stranger = await ownerWithProject(app);
    for (const path of [`/v1/usage?project_id=${owner.projectId}`, `/v1/projects/${owner.projectId}/usage/daily`]) {
      await get(path, viewer.bearer).expect(200);
      await get(path, stranger.bearer).expect(403, { detail: 'Not a project member' });
      await app.request().get(path).set('X-API-Key', owner.apiKey).expect(401);
    }
  });
});
