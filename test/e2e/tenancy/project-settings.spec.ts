import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, type Tenant, tenant } from '../../support/service.js';
import { replaceFirstMaskedPath } from '../../support/sql-builders/tenancy.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

const DEFAULTS = {
  timezone: 'UTC',
  default_range: '24h',
  redacted_properties: [],
  noise_endpoints: [],
  annotation_events: ['deploy.*', 'release.*'],
};
const SETTINGS = {
  timezone: 'Europe/Berlin',
  default_range: '7d',
  redacted_properties: ['card.number', 'users.*.email'],
  noise_endpoints: ['/metrics', '/ready'],
  annotation_events: ['*.deployed', 'flag.changed'],
};

describe('a setting of a project', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const path = () => `/v1/projects/${acme.projectId}/settings`;
  const get = (account: Account = acme.owner) => api.as(account).get(path());
  const put = (body?: object, account: Account = acme.owner) => api.as(account).put(path(), body);
  const ingest = async (body: object, { key }: Tenant = acme) => {
    const event = { event_type: 'checkout', source: 'web', ...body };
    return (await api.as(key).post('/v1/events/ingest', event).expect(200)).body as { properties: object };
  };

  /** The details of the updates in the audit log, the oldest first. */
  async function auditedUpdates(): Promise<object[]> {
    const { body } = await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/activity`).expect(200);
    return (body as { items: { action: string; detail: object }[] }).items
      .filter(({ action }) => action === 'project.settings_updated')
      .map(({ detail }) => detail)
      .reverse();
  }

  it('has its default until it is set, and again when an update leaves it out, and each update is audited', async () => {
    const viewer = await acme.viewer();
    const defaults = { project_id: acme.projectId, ...DEFAULTS, updated_at: null };
    expect((await get(viewer).expect(200)).body).toEqual(defaults);
    const set = { project_id: acme.projectId, ...SETTINGS, updated_at: TIME };
    expect((await put(SETTINGS).expect(200)).body).toEqual(set);
    expect((await get(viewer).expect(200)).body).toEqual(set);
    expect((await put({ default_range: 'all' }).expect(200)).body).toEqual({
      ...defaults,
      default_range: 'all',
      updated_at: TIME,
    });
    await put().expect(200);
    expect((await get().expect(200)).body).toEqual({ ...defaults, updated_at: TIME });
    expect(await auditedUpdates()).toEqual([
      { changed: Object.keys(DEFAULTS) },
      { changed: Object.keys(DEFAULTS) },
      { changed: ['default_range'] },
    ]);
  });

  it('is refused with 403 from a viewer and from an operator', async () => {
    for (const account of [await acme.viewer(), await acme.operator()]) {
      await put(SETTINGS, account).expect(403, { detail: 'Insufficient project role' });
    }
    expect((await get().expect(200)).body).toMatchObject({ ...DEFAULTS, updated_at: null });
    expect(await auditedUpdates()).toEqual([]);
  });

  it.each<[string, object, (string | number)[]]>([
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, ['timezone']],
    ['an offset for a time zone', { timezone: '+01:00' }, ['timezone']],
    ['an empty time zone', { timezone: '' }, ['timezone']],
    ['a list', { timezone: [] }, ['timezone']],
    ['an unknown range', { default_range: '2h' }, ['default_range']],
    ['51 paths', { redacted_properties: Array.from({ length: 51 }, (_, n) => `p${n}`) }, ['redacted_properties']],
    ['a path of 201 characters', { redacted_properties: ['a'.repeat(201)] }, ['redacted_properties', 0]],
    ['a path of 17 names', { redacted_properties: [Array(17).fill('*').join('.')] }, ['redacted_properties', 0]],
    ['a path with an empty name', { redacted_properties: ['ok', 'a..b'] }, ['redacted_properties', 1]],
    ['101 endpoints', { noise_endpoints: Array.from({ length: 101 }, (_, n) => `/${n}`) }, ['noise_endpoints']],
    ['an empty endpoint', { noise_endpoints: [''] }, ['noise_endpoints', 0]],
    ['21 patterns', { annotation_events: Array.from({ length: 21 }, (_, n) => `a${n}.*`) }, ['annotation_events']],
    ['an empty pattern', { annotation_events: ['deploy.*', ''] }, ['annotation_events', 1]],
    ['a pattern of 201 characters', { annotation_events: ['a'.repeat(201)] }, ['annotation_events', 0]],
  ])('is refused with 422 for %s, and keeps its default', async (_, body, at) => {
    const refused = await put({ ...SETTINGS, ...body }).expect(422);
    expect((refused.body as { detail: object[] }).detail).toMatchObject([{ loc: ['body', ...at] }]);
    expect((await get().expect(200)).body).toMatchObject(DEFAULTS);
  });

  it('can be an empty list or 20 patterns of events to mark, without repetitions', async () => {
    const patterns = Array.from({ length: 19 }, (_, n) => `release-${n}.*`);
    const annotation_events = [...patterns, '*'];
    expect((await put({ annotation_events }).expect(200)).body).toMatchObject({ annotation_events });
    expect((await put({ annotation_events: ['*', 'deploy.*', '*'] }).expect(200)).body).toMatchObject({
      annotation_events: ['*', 'deploy.*'],
    });
    expect((await put({ annotation_events: [] }).expect(200)).body).toMatchObject({ annotation_events: [] });
    expect((await get().expect(200)).body).toMatchObject({ annotation_events: [] });
    expect((await put({ annotation_events: null }).expect(200)).body).toMatchObject(DEFAULTS);
  });

  it.each(['UTC', 'Etc/GMT+5', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'])(
    'can be the time zone %s',
    async (timezone) => {
      expect((await put({ timezone }).expect(200)).body).toMatchObject({ timezone });
    },
  );

  it('stops no event when its paths to mask lead everywhere', async () => {
    const everywhere = (name: string) => Array.from({ length: 16 }, (_, at) => (at === 15 ? name : '*')).join('.');
    await put({ redacted_properties: Array.from({ length: 50 }, (_, n) => everywhere(`n${n}`)) }).expect(200);
    await replaceFirstMaskedPath(acme.projectId, [Array(100).fill('*').join('.')]);
    let list: unknown = 1;
    for (let level = 0; level < 60; level += 1) list = [list];
    expect((await ingest({ payload: { a: list } })).properties).toEqual({ a: list, source: 'web' });
  });

  it('masks properties in its own project and nothing in another project', async () => {
    await put({ redacted_properties: ['*'] }).expect(200);
    const masked = await ingest({ properties: { a: 1, b: { c: 2 } }, severity: 'info' });
    expect(masked.properties).toEqual({
      a: '[redacted]',
      b: '[redacted]',
      severity: '[redacted]',
      source: '[redacted]',
    });
    const other = await ingest({ properties: { a: 1 } }, await tenant());
    expect(other.properties).toEqual({ a: 1, source: 'web' });
  });
});
