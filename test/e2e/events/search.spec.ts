import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { AlertingApi } from '../../support/alerting-api.js';
import { eventually } from '../../support/eventually.js';
import { type Account, api, outsider, type Tenant, tenant } from '../../support/service.js';
import { ageAlertEvent } from '../../support/sql-builders/alerting.js';
import { ageAlertRule } from '../../support/sql-builders/event-performance.js';
import { countEvents, type EventRow, insertEvents } from '../../support/sql-builders/event-rows.js';

interface Item {
  readonly type: string;
  readonly kind?: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly matched: { readonly field: string; readonly text: string };
  readonly score: number;
  readonly timestamp: string;
}

interface Answer {
  readonly project_id: string;
  readonly q: string;
  readonly items: Item[];
  readonly counts: Record<string, number>;
  readonly is_partial: boolean;
}

type Listed = Readonly<Record<string, string | null>>;

const DAY_MS = 86_400_000;
const ago = (ms: number): Date => new Date(Date.now() - ms);

/** What a search finds, in the order of what fits equally well. */
const SEARCH_TYPES = [
  'event',
  'event_type',
  'event_source',
  'api_key',
  'alert_rule',
  'alert_event',
  'alert_destination',
  'delivery_channel',
  'saved_view',
  'object',
  'secret',
  'finding',
];

/** The route that lists things of a type, and the fields of them that are searched. */
const ROUTES: Readonly<Record<string, { path: (projectId: string) => string; fields: readonly string[] }>> = {
  event_source: { path: (id) => `/v1/ingest-sources?project_id=${id}`, fields: ['name', 'description', 'type'] },
  api_key: { path: (id) => `/v1/api-keys?project_id=${id}`, fields: ['name', 'prefix'] },
  alert_rule: { path: (id) => `/v1/alert-rules?project_id=${id}`, fields: ['name'] },
  alert_event: { path: (id) => `/v1/alerts/events?project_id=${id}`, fields: ['message', 'event_type', 'source'] },
  alert_destination: { path: (id) => `/v1/alert-destinations?project_id=${id}`, fields: ['name', 'type'] },
  delivery_channel: { path: (id) => `/v1/delivery/channels?project_id=${id}`, fields: ['name', 'type'] },
  saved_view: { path: (id) => `/v1/projects/${id}/saved-views`, fields: ['name'] },
  object: { path: (id) => `/v1/core/objects?project_id=${id}`, fields: ['key'] },
  secret: { path: (id) => `/v1/secrets?project_id=${id}`, fields: ['name', 'description'] },
};

const find = (of: Tenant, query: object, caller: Account = of.owner) =>
  api.as(caller).get('/v1/search', { project_id: of.projectId, ...query });

/**
 * A search reads events for two seconds. What takes longer on a busy machine is partial, or 503, and is asked again: a test
 * compares whole answers.
 */
async function search(of: Tenant, q: string, more: object = {}, caller: Account = of.owner): Promise<Answer> {
  const { status, body } = await eventually(
    async (): Promise<Response> => find(of, { q, ...more }, caller),
    (answer) => answer.status !== 503 && (answer.body as Partial<Answer>).is_partial !== true,
    (answer) => `the search for ${q} is still ${answer.status} ${answer.text}`,
  );
  expect([q, status, status === 200 ? null : (body as unknown)]).toEqual([q, 200, null]);
  return body as Answer;
}

async function listed(of: Tenant, type: string, caller: Account = of.owner): Promise<Listed[]> {
  const { body } = await api
    .as(caller)
    .get(ROUTES[type]?.path(of.projectId) ?? '')
    .expect(200);
  return (Array.isArray(body) ? body : (body as { items: unknown[] }).items) as Listed[];
}

/** Stores events and counts them. */
async function put({ projectId }: Tenant, rows: readonly EventRow[]): Promise<string[]> {
  const ids = await insertEvents(projectId, rows);
  await countEvents(projectId);
  return ids;
}

/** How well a word fits a text, by the rules of `docs/guide/search.md`. Both are of ASCII. 0: the text does not have it. */
function scoreOf(text: string | null, word: string, isId = false): number {
  const folded = (text ?? '').toLowerCase();
  if (folded === word) return isId ? 0.9 : 1;
  if (folded.startsWith(word)) return 0.8;
  if (new RegExp(`[^a-z0-9]${word}`).test(folded)) return 0.6;
  return folded.includes(word) ? 0.4 : 0;
}

/** One thing of each type, each with a name of its own about the same bird. */
async function furnish(of: Tenant): Promise<void> {
  const { projectId } = of;
  const send = (path: string, body: object) =>
    api
      .as(of.owner)
      .post(path, { project_id: projectId, ...body })
      .expect(201);
  await send('/v1/ingest-sources', { name: 'Kestrel web', type: 'http', description: 'Front door of the nest' });
  await send('/v1/api-keys', { name: 'A key of kestrel' });
  await send('/v1/alert-rules', {
    name: 'Kestrel is down',
    condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] },
  });
  await new AlertingApi(of).raised({
    message: 'No kestrel was seen',
    event_type: 'payment.failed',
    source: 'checkout',
    payload: { bird: 'hidden-payload' },
  });
  await send('/v1/alert-destinations', {
    type: 'webhook',
    name: 'On call for KESTREL',
    target_url: 'https://hooks.example.com/hidden-address',
  });
  await send('/v1/delivery/channels', {
    type: 'webhook',
    name: 'kestrels',
    configuration: { url: 'https://example.com/hidden-address' },
  });
  await send(`/v1/projects/${projectId}/saved-views`, { name: 'kestrel', filters: { event: 'hidden-filter' } });
  await api
    .as(of.owner)
    .post('/v1/core/objects')
    .query({ project_id: projectId, key: 'reports/kestrel.csv' })
    .type('text/plain')
    .send('hidden-content')
    .expect(201);
  await send('/v1/secrets', { name: 'OLD_KESTREL_TOKEN', value: 'hidden-value', description: 'Of the falconer' });
  const ingest = (body: object) =>
    api
      .as(of.key)
      .post('/v1/events/ingest', { source: 'nest', ...body })
      .expect(200);
  await ingest({ event_type: 'kestrel.seen', message: 'high up', event_id: 'ext-4711' });
  await ingest({ event_type: 'bird.seen', message: 'a kestrel', payload: { color: 'hidden-property' } });
  await ingest({ event_type: 'http.request', properties: { path: '/birds/kestrel', method: 'GET' } });
}

describe('A search', () => {
  let acme: Tenant;
  let globex: Tenant;

  beforeAll(async () => {
    acme = await tenant();
    globex = await tenant();
    await furnish(acme);
    await furnish(globex);
  });

  it('finds things of every type by their names, and ranks names before events', async () => {
    const { items, ...rest } = await search(acme, 'KESTREL', { limit: 50 });
    expect(rest).toEqual({
      project_id: acme.projectId,
      q: 'KESTREL',
      counts: {
        event: 3,
        event_type: 1,
        event_source: 1,
        api_key: expect.any(Number),
        alert_rule: 1,
        alert_event: 1,
        alert_destination: 1,
        delivery_channel: 1,
        saved_view: 1,
        object: 1,
        secret: 1,
        finding: 0,
      },
      is_partial: false,
    });
    const found = items
      .filter(({ type, title }) => type !== 'api_key' || title === 'A key of kestrel')
      .map(({ type, title, subtitle, matched, score }) => [type, title, subtitle, matched.field, matched.text, score]);
    expect(found).toEqual([
      ['saved_view', 'kestrel', null, 'name', 'kestrel', 1],
      ['event_type', 'kestrel.seen', null, 'name', 'kestrel.seen', 0.8],
      ['event_source', 'Kestrel web', 'Front door of the nest', 'name', 'Kestrel web', 0.8],
      ['alert_rule', 'Kestrel is down', 'warning', 'name', 'Kestrel is down', 0.8],
      ['delivery_channel', 'kestrels', 'webhook', 'name', 'kestrels', 0.8],
      ['api_key', 'A key of kestrel', expect.stringMatching(/^\w{8}$/), 'name', 'A key of kestrel', 0.6],
      ['alert_event', 'No kestrel was seen', 'payment.failed', 'message', 'No kestrel was seen', 0.6],
      ['alert_destination', 'On call for KESTREL', 'webhook', 'name', 'On call for KESTREL', 0.6],
      ['object', 'reports/kestrel.csv', 'text/plain', 'key', 'reports/kestrel.csv', 0.6],
      ['secret', 'OLD_KESTREL_TOKEN', 'Of the falconer', 'name', 'OLD_KESTREL_TOKEN', 0.6],
      ['event', 'kestrel.seen', 'high up', 'event', 'kestrel.seen', 0.4],
      ['event', 'http.request', '/birds/kestrel', 'endpoint', '/birds/kestrel', 0.3],
      ['event', 'bird.seen', 'a kestrel', 'message', 'a kestrel', 0.3],
    ]);
    for (const { timestamp } of items) expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it.each([
    ['front door', 'event_source', 'description'],
    ['http', 'event_source', 'type'],
    ['falconer', 'secret', 'description'],
    ['payment.failed', 'alert_event', 'event_type'],
    ['checkout', 'alert_event', 'source'],
    ['webhook', 'alert_destination', 'type'],
    ['webhook', 'delivery_channel', 'type'],
    ['ext-4711', 'event', 'external_event_id'],
    ['nest', 'event', 'source'],
    ['HIGH UP', 'event', 'message'],
    ['"high up"', 'event', 'message'],
    ['/birds', 'event', 'endpoint'],
  ])('finds for %s the %s by its %s', async (q, type, field) => {
    const { items } = await search(acme, q, { type });
    expect(items.map((item) => [item.type, item.matched.field])).toContainEqual([type, field]);
  });

  it.each(Object.keys(ROUTES))('finds the %s by its id and by a part of its id', async (type) => {
    const [thing] = await listed(acme, type);
    const id = thing?.id ?? '';
    const { items } = await search(acme, id.toUpperCase(), { type });
    expect(items).toMatchObject([{ type, id, matched: { field: 'id', text: id }, score: 0.9 }]);
    expect((await search(acme, id.slice(3, 20), { type })).items.map((item) => item.id)).toContain(id);
  });

  it('shows the kind of a saved view, and none of other things', async () => {
    const globes = await tenant();
    const views = ['view', 'analysis', 'query', 'performance', 'dashboard'].map((kind) => ({
      name: `globe ${kind}`,
      kind,
    }));
    for (const view of views) {
      const body = { ...view, filters: { panels: [] } };
      await api.as(globes.owner).post(`/v1/projects/${globes.projectId}/saved-views`, body).expect(201);
    }
    const { items } = await search(globes, 'globe', { type: 'saved_view' });
    expect(items.map(({ title, kind }) => ({ name: title, kind })).reverse()).toEqual(views);
    const others = (await search(acme, 'kestrel', { limit: 50 })).items.filter(({ type }) => type !== 'saved_view');
    expect(others.filter((item) => 'kind' in item)).toEqual([]);
  });

  it('finds nothing by the id of a thing of another tenant', async () => {
    const [foreign] = await listed(globex, 'event_source');
    expect(foreign?.id).toBeDefined();
    expect((await search(acme, foreign?.id ?? '')).items).toEqual([]);
  });

  it('finds an API key by its prefix', async () => {
    const [key] = await listed(acme, 'api_key');
    expect((await search(acme, key?.prefix ?? '', { type: 'api_key' })).items).toMatchObject([
      { id: key?.id, matched: { field: 'prefix' }, score: 1 },
    ]);
  });

  it('finds an event by its id, and shows an event type with the time of its newest event', async () => {
    const [event] = (await search(acme, 'kestrel.seen', { type: 'event' })).items;
    expect((await search(acme, event?.id ?? '')).items).toMatchObject([
      { type: 'event', id: event?.id, matched: { field: 'id' }, score: 0.45 },
    ]);
    expect((await search(acme, 'kestrel.seen', { type: 'event_type' })).items).toMatchObject([
      { id: 'kestrel.seen', timestamp: event?.timestamp },
    ]);
  });

  it.each([
    'hidden',
    'hidden-address',
    'hidden-filter',
    'hidden-content',
    'hidden-value',
    'hidden-property',
    'hidden-payload',
    'example.com',
  ])('finds nothing for %s, which stands in configuration, payloads, filters, contents or values', async (q) => {
    expect((await search(acme, q)).items).toEqual([]);
  });

  it.each(['viewer', 'member', 'operator', 'admin', 'owner'] as const)(
    'shows to the role %s what the routes of the things show to it',
    async (role) => {
      const caller = role === 'owner' ? acme.owner : await acme[role]();
      for (const q of ['kestrel', 'e']) {
        const { items } = await search(acme, q, { limit: 50, type: Object.keys(ROUTES) }, caller);
        for (const [type, { fields }] of Object.entries(ROUTES)) {
          const expected = (await listed(acme, type, caller)).flatMap((thing) => {
            const scores = fields.map((name) => scoreOf(thing[name] ?? null, q));
            const score = Math.max(...scores, scoreOf(thing.id ?? '', q, true));
            return score === 0 ? [] : [[thing.id, score]];
          });
          const found = items.filter((item) => item.type === type).map(({ id, score }) => [id, score]);
          expect([role, type, found.sort()]).toEqual([role, type, expected.sort()]);
        }
      }
    },
  );

  it('returns 403 to strangers, 404 for an unknown project, and 401 without an access token', async () => {
    const stranger = await outsider();
    const query = { project_id: acme.projectId, q: 'kestrel' };
    await find(acme, { q: 'kestrel' }, globex.owner).expect(403, { detail: 'Not a project member' });
    await find(acme, { q: 'kestrel' }, stranger).expect(403, { detail: 'Not a project member' });
    await api
      .as(acme.owner)
      .get('/v1/search', { ...query, project_id: randomUUID() })
      .expect(404, { detail: 'Project not found' });
    await api.get('/v1/search', { ...query, q: 'a' }).expect(401, { detail: 'Not authenticated' });
    await api.get('/v1/search', query).set('Authorization', `Bearer ${acme.key.apiKey}`).expect(401);
  });

  it('finds as much for another tenant, and nothing of the first one', async () => {
    const own = await search(acme, 'kestrel', { limit: 50 });
    const others = await search(globex, 'kestrel', { limit: 50 });
    const ids = new Set(own.items.filter(({ type }) => type !== 'event_type').map(({ id }) => id));
    expect(others.items.filter(({ id }) => ids.has(id))).toEqual([]);
    expect(others.items).toHaveLength(own.items.length);
  });

  it('finds and counts the requested types alone, and all types if none is requested', async () => {
    const one = await search(acme, 'kestrel', { type: 'secret' });
    expect(one).toMatchObject({ counts: { secret: 1 }, items: [{ type: 'secret' }] });
    expect(Object.keys(one.counts)).toEqual(['secret']);
    const { counts } = await search(acme, 'kestrel', { type: ['finding', 'saved_view', 'saved_view', 'event'] });
    expect(counts).toEqual({ event: 3, saved_view: 1, finding: 0 });
    expect(Object.keys((await search(acme, 'no such thing')).counts)).toEqual(SEARCH_TYPES);
  });

  it.each<[string, object, unknown[]]>([
    ['a missing q', {}, ['missing', 'query', 'q']],
    ['a blank q', { q: '   ' }, ['string_too_short', 'query', 'q']],
    ['a q of 201 characters', { q: 'x'.repeat(201) }, ['string_too_long', 'query', 'q']],
    ['a q of nine words', { q: 'a b c d e f g h i' }, ['value_error', 'query', 'q']],
    ['a q of blanks in quotes', { q: '"  " "\t"' }, ['value_error', 'query', 'q']],
    ['a q with a NUL character', { q: 'a\0b' }, ['value_error', 'query', 'q']],
    ['the unknown type user', { q: 'a', type: ['secret', 'user'] }, ['literal_error', 'query', 'type', 1]],
    ['the unknown range 2d', { q: 'a', range: '2d' }, ['literal_error', 'query', 'range']],
    ['a limit of 0', { q: 'a', limit: 0 }, ['greater_than_equal', 'query', 'limit']],
    ['a limit of 51', { q: 'a', limit: 51 }, ['less_than_equal', 'query', 'limit']],
  ])('returns 422 for %s', async (_, query, error) => {
    const { body } = await find(acme, query).expect(422);
    const { detail } = body as { detail: { type: string; loc: unknown[] }[] };
    expect(detail.map(({ type, loc }) => [type, ...loc])).toEqual([error]);
  });

  it('accepts 200 characters between blanks, and eight words of which two are repeated', async () => {
    expect((await search(acme, `  ${'x'.repeat(200)}  `)).q).toBe('x'.repeat(200));
    expect((await search(acme, 'a b c d e f g h A H')).is_partial).toBe(false);
  });

  it('answers the examples of the guide as the guide shows', async () => {
    const guide = readFileSync('docs/guide/search.md', 'utf8');
    const paths = [...guide.matchAll(/GET (\/v1\/search\?\S+)/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) await api.as(acme.owner).get(path.replace('$PROJECT', acme.projectId)).expect(200);
    const [, answer = '{}'] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    const written = JSON.parse(answer) as Answer;
    const { items } = await search(acme, written.q, { type: 'saved_view' });
    expect(Object.keys(written.items[0] ?? {})).toEqual(Object.keys(items[0] ?? {}));
    const shown = (some: readonly Item[]) =>
      some.map(({ type, title, score, matched }) => [type, title, score, matched.field]);
    expect(shown(items)).toEqual(shown(written.items.filter(({ type }) => type === 'saved_view')));
  });
});

describe('A search for events', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant();
    const odd = ['100% sure', 'a_b', 'back\\slash', `it's "quoted"`, 'Straße', '\u212aelvin', 'ÄÖÜ'];
    await put(acme, [
      ...odd.map((message, at) => ({ timestamp: ago(at * 60_000), event: 'odd', message })),
      { timestamp: ago(2 * 3_600_000), event: 'age', message: 'two hours' },
      { timestamp: ago(2 * DAY_MS), event: 'age', message: 'two days' },
      { timestamp: ago(8 * DAY_MS), event: 'age.old', message: 'eight days' },
      { timestamp: ago(40 * DAY_MS), event: 'age.old', message: 'forty days' },
    ]);
  });

  it.each([
    ['100%', ['100% sure']],
    ['%', ['100% sure']],
    ['A_B', ['a_b']],
    ['_', ['a_b']],
    ['\\', ['back\\slash']],
    ["it's", [`it's "quoted"`]],
    ['"quoted"', [`it's "quoted"`]],
    ['straß', ['Straße']],
    ['STRASSE', []],
    ['kelvin', ['\u212aelvin']],
    ['äöü', ['ÄÖÜ']],
    ['%_', []],
    ["'; DROP TABLE events; --", []],
  ])('takes signs literally and letters in any case, so that %s finds %j', async (q, messages) => {
    const { items } = await search(acme, q, { type: 'event' });
    expect(items.map(({ matched }) => matched.text)).toEqual(messages);
  });

  it.each([
    ['1h', []],
    ['24h', ['two hours']],
    ['7d', ['two hours', 'two days']],
    ['30d', ['two hours', 'two days', 'eight days']],
    ['all', ['two hours', 'two days', 'eight days', 'forty days']],
  ])('finds in the range %s the events %j and their event types', async (range, messages) => {
    const { items, counts } = await search(acme, 'age', { range, type: ['event', 'event_type'], limit: 50 });
    const events = items.filter(({ type }) => type === 'event');
    expect(new Set(events.map(({ subtitle }) => subtitle))).toEqual(new Set(messages));
    expect(counts).toEqual({
      event: messages.length,
      event_type: messages.length === 0 ? 0 : messages.length > 2 ? 2 : 1,
    });
  });

  it('counts fifty, keeps the best ones however old, and leaves half of the places to other types', async () => {
    const globex = await tenant();
    const rows = Array.from({ length: 120 }, (_, at) => ({
      timestamp: ago(at * 1_000),
      event: 'heron.many',
      message: `number ${at}`,
    }));
    const [best] = await put(globex, [
      { timestamp: ago(5 * DAY_MS), event: 'rare', message: 'heron' },
      ...rows,
      { timestamp: ago(3 * DAY_MS), event: 'rare', message: 'a heron' },
    ]);
    const { items, counts } = await search(globex, 'heron', { limit: 10 });
    expect(counts).toMatchObject({ event: 50, event_type: 1 });
    expect(items.map(({ type, subtitle, score }) => [type, subtitle, score])).toEqual([
      ['event_type', null, 0.8],
      ['event', 'heron', 0.5],
      ...[0, 1, 2, 3].map((at) => ['event', `number ${at}`, 0.4]),
    ]);
    expect(items[1]?.id).toBe(best);
    expect((await search(globex, 'heron', { limit: 3, type: 'event' })).items).toHaveLength(3);
    const all = await search(globex, 'heron', { limit: 50, type: 'event' });
    expect(all.items.map(({ score }) => score)).toEqual([0.5, ...Array.from({ length: 49 }, () => 0.4)]);
  });

  it('answers eight words that stand in many long texts, and 200 equal signs', async () => {
    const globex = await tenant();
    const rows = Array.from({ length: 200 }, (_, at) => ({
      timestamp: ago(at),
      event: 'long',
      message: 'ab'.repeat(1_000),
      log_endpoint: `/${'ab'.repeat(10_000)}`,
    }));
    await put(globex, rows);
    const words = Array.from({ length: 8 }, (_, at) => 'ab'.repeat(8 + at)).join(' ');
    const { items, counts } = await search(globex, words, { type: 'event' });
    expect(counts).toEqual({ event: 50 });
    for (const { matched, subtitle } of items) {
      expect(matched.text).toHaveLength(160);
      expect(subtitle).toHaveLength(160);
    }
    for (const q of [
      '%'.repeat(200),
      '_'.repeat(200),
      '\\'.repeat(200),
      '('.repeat(200),
      '😀'.repeat(200),
      'aé'.repeat(100),
    ]) {
      expect((await search(globex, q)).items).toEqual([]);
    }
  });
});

describe('A search for alert events', () => {
  it('finds the alert events that began in the range, and other things of any age', async () => {
    const acme = await tenant();
    const alerts = new AlertingApi(acme);
    const ages: Record<string, number> = { now: 0, hours: 2 / 24, days: 2, week: 8, month: 40 };
    for (const [name, days] of Object.entries(ages)) {
      const { id } = await alerts.raised({ message: `merlin of ${name}` });
      await ageAlertEvent(id, (days * DAY_MS) / 1_000);
    }
    await ageAlertRule(await alerts.rule({ name: 'merlin' }), 90);
    const found = async (more: object): Promise<string[]> =>
      (await search(acme, 'merlin', more)).items.map(({ title }) => title.replace('merlin of ', ''));
    const names = Object.keys(ages);
    const ranges = { '15m': 1, '1h': 1, '24h': 2, '7d': 3, '30d': 4, all: 5 };
    for (const [range, count] of Object.entries(ranges)) {
      expect([range, ...(await found({ range }))]).toEqual([range, 'merlin', ...names.slice(0, count)]);
    }
    expect(await found({ type: 'alert_event' })).toEqual(names.slice(0, 3));
  });
});
