import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { meteredUsage, setMonthlyEventLimit } from '../../support/sql-builders/event-lists.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';
import { monthOf, utcDay } from '../../support/utc-day.js';

const DAY_MS = 86_400_000;
const START = Date.now();
const daysAgo = (days: number): string => new Date(START - days * DAY_MS).toISOString();

/** How many days ago each event has happened, by its type. */
const DAYS = { a: [0.01, 0.02, 0.03, 3, 20], b: [0.5, 40], c: [6.9, 7.1, 29.9] };

const ingest = ({ apiKey }: { apiKey: string }, body: object) => api.as({ apiKey }).post('/v1/events/ingest', body);

/** Ingests the ten events of {@link DAYS}. */
async function ingestAll({ key }: Tenant): Promise<void> {
  for (const [event_type, days] of Object.entries(DAYS))
    for (const day of days) await ingest(key, { event_type, source: 's', timestamp: daysAgo(day) }).expect(200);
}

describe('the usage of a project', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant();
    await ingestAll(acme);
  });

  const get = (query: object = {}, account: Account = acme.owner) =>
    api.as(account).get('/v1/usage', { project_id: acme.projectId, ...query });
  const getDaily = (query: object = {}, account: Account = acme.owner) =>
    api.as(account).get(`/v1/projects/${acme.projectId}/usage/daily`, query);
  const usage = async (query: object) => (await get(query).expect(200)).body as Record<string, unknown>;

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
  ])('counts by event over the period %s, in which %i events lie: %j', async (period, total, byEvent) => {
    const before = Date.now();
    const answer = await usage({ period });
    expect(answer).toEqual({
      project_id: acme.projectId,
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

  it('covers 30 days when no period is given', async () => {
    expect(await usage({})).toMatchObject({ period: '30d', total_events: 9 });
  });

  it('covers the whole UTC month over the period month', async () => {
    const { month, nextMonth } = monthOf(await utcDay());
    expect(await usage({ period: 'month' })).toMatchObject({
      from_ts: `${month}T00:00:00.000Z`,
      to_ts: `${nextMonth}T00:00:00.000Z`,
    });
  });

  it('returns 422 with the known periods for another one', async () => {
    await get({ period: '1y' }).expect(422, { detail: 'period must be one of: 24h, 7d, 30d, month' });
  });

  it('has an entry for each day with events alone, the earliest first', async () => {
    const { usage: days } = (await getDaily().expect(200)).body as { usage: { date: string; events: number }[] };
    const expected = new Map<string, number>();
    for (const day of [0.01, 0.02, 0.03, 3, 20, 0.5, 6.9, 7.1, 29.9]) {
      const date = daysAgo(day).slice(0, 10);
      expected.set(date, (expected.get(date) ?? 0) + 1);
    }
    expect(days.map(({ date, events }) => [date, events])).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
    const { body } = await getDaily({ days: 365 }).expect(200);
    expect((body as { usage: unknown[] }).usage).toHaveLength(expected.size + 1);
  });

  it.each(['0', '366', 'x'])('returns 422 for the last %s days', async (days) => {
    await getDaily({ days }).expect(422);
  });

  it('is shown to viewers, and neither to the owner of another project nor to an API key', async () => {
    const [viewer, globex] = [await acme.viewer(), await tenant()];
    for (const [path, query] of [
      ['/v1/usage', { project_id: acme.projectId }],
      [`/v1/projects/${acme.projectId}/usage/daily`, {}],
    ] as const) {
      await api.as(viewer).get(path, query).expect(200);
      await api.as(globex.owner).get(path, query).expect(403, { detail: 'Not a project member' });
      await api.as(acme.key).get(path, query).expect(401);
    }
  });
});

describe('the usage of the current month', () => {
  it("sums up the organization's projects, and knows a limit only where one is set explicitly", async () => {
    const { month: from, nextMonth: to } = monthOf(await utcDay());
    const acme = await tenant();
    await ingestAll(acme);
    const current = async () => (await api.as(acme.key).get('/v1/usage/current').expect(200)).body as object;
    const record = {
      organization_id: acme.organizationId,
      month: from.slice(0, 7),
      from_day: from,
      to_day: to,
      reset_day: to,
      events_used: 10,
      events_limit: null,
      events_remaining: null,
    };
    expect(await current()).toEqual(record);
    await setPlan(acme.organizationId, 'pro');
    await setMonthlyEventLimit(acme.organizationId, 4);
    expect(await current()).toEqual({ ...record, events_limit: 4, events_remaining: 0 });
    await setMonthlyEventLimit(acme.organizationId, 0);
    expect(await current()).toMatchObject({ events_limit: 0, events_remaining: 0 });
    await setMonthlyEventLimit(acme.organizationId, 25);
    expect(await current()).toMatchObject({ events_limit: 25, events_remaining: 15 });

    const asOwner = api.as(acme.owner);
    const body = { organization_id: acme.organizationId, name: 'Second', slug: 'second' };
    const project = (await asOwner.post('/v1/projects', body).expect(201)).body as { id: string };
    const { key = '' } = (await asOwner.post('/v1/api-keys', { project_id: project.id, name: 'k' }).expect(201))
      .body as { key?: string };
    await ingest({ apiKey: key }, { event_type: 'x', source: 's' }).expect(200);
    expect(await current()).toMatchObject({ events_used: 11 });
  });
});

describe('the meter of requests', () => {
  it('counts the requests with an API key that succeed, and no others', async () => {
    await utcDay();
    const acme = await tenant();
    const [asKey, asOwner] = [api.as(acme.key), api.as(acme.owner)];
    await ingest(acme.key, { event_type: 'x', source: 's' }).expect(200);
    await asKey.get('/v1/api-keys/me').expect(200);
    await ingest(acme.key, {}).expect(422);
    await asKey.get('/health').expect(200);
    await asOwner.get('/v1/auth/me').expect(200);
    await asOwner.get('/v1/auth/me').set('X-API-Key', acme.key.apiKey).expect(200);
    const metered = async () =>
      (await meteredUsage(acme.projectId)).filter(({ api_key_id }) => api_key_id === acme.key.id);
    await eventually(metered, ([counted]) => counted?.requests === 3);
    expect(await metered()).toEqual([{ api_key_id: acme.key.id, requests: 3, events: 1 }]);
  });
});
