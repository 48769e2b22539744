import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { utcDay } from '../../support/utc-day.js';
import { FIELD_TABLE } from '../../../src/modules/events/fields/event-fields.js';

interface Row {
  event: string;
  source: string;
  severity: string | null;
  status: string | null;
  environment: string | null;
  message: string | null;
  external_event_id: string | null;
  properties: Record<string, unknown>;
  timestamp: Date;
  api_key_id: string;
}

describe('ingestion', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const ingest = (body: unknown, key = owner.apiKey) =>
    app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', key)
      .send(body as object);
  const stored = (id: string) =>
    app.rows<Row>('SELECT * FROM events WHERE project_id = $1 AND id = $2', [owner.projectId, id]);
  const counts = async () => {
    const [row] = await app.rows<{ events: string; metered: string }>(
      `SELECT (SELECT count(*) FROM events) AS events, (SELECT coalesce(sum(events_ingested), 0) FROM usage_daily) AS metered`,
    );
    return row;
  };

  it('stores what it answers', async () => {
    const answer = await ingest({
      event_type: 'http.request',
      source: 'web',
      event_id: 'ext-1',
      timestamp: '2026-01-02T03:04:05.678+02:00',
      severity: 'info',
      message: 'GET /cart',
      status: 'success',
      environment: 'production',
      payload: { method: 'GET', path: '/cart', nested: { deep: [1, 'two', null] } },
      properties: { path: '/basket', ключ: '値' },
      unknown_field: 'ignored',
    }).expect(200);
    const properties = {
      method: 'GET',
      path: '/basket',
      nested: { deep: [1, 'two', null] },
      ключ: '値',
      source: 'web',
      severity: 'info',
      message: 'GET /cart',
      status: 'success',
      environment: 'production',
      event_id: 'ext-1',
    };
    const body = answer.body as { ingested_event_id: string };
    expect(body).toEqual({
      accepted: true,
      project_id: owner.projectId,
      api_key_id: owner.apiKeyId,
      ingested_event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
      external_event_id: 'ext-1',
      event_type: 'http.request',
      timestamp: '2026-01-02T01:04:05.678Z',
      properties,
      duplicate: false,
      ingest_mode: 'batched',
      persisted_synchronously: true,
    });
    expect(answer.headers['x-service-ingest-mode']).toBe('batched');
    expect(answer.headers['x-service-persisted-synchronously']).toBe('true');
    const [row] = await stored(body.ingested_event_id);
    expect(row).toMatchObject({
      event: 'http.request',
      source: 'web',
      severity: 'info',
      status: 'success',
      environment: 'production',
      message: 'GET /cart',
      external_event_id: 'ext-1',
      properties,
      api_key_id: owner.apiKeyId,
    });
    expect(row?.timestamp.toISOString()).toBe('2026-01-02T01:04:05.678Z');
  });

  describe('of every field that may be sent', () => {
    const sent = Object.values(FIELD_TABLE).flatMap((field) => ('sent' in field ? [field] : []));
    const columns = Object.entries(FIELD_TABLE).flatMap(([column, field]) =>
      'sent' in field ? [{ column, name: field.sent }] : [],
    );
    const valueOf = ({ type, sent: name }: (typeof sent)[number], other = false): string =>
      type === 'timestamptz' ? `2026-02-0${other ? 2 : 1}T03:04:05.678Z` : `${other ? 'another' : 'the'} ${name}`;
    const whole = Object.fromEntries(sent.map((field) => [field.sent, valueOf(field)]));
    const byColumn = Object.fromEntries(columns.map(({ column, name }) => [column, whole[name]]));

    it('stores, reads and exports it', async () => {
      const of = await ownerWithProject(app);
      await ingest(whole, of.apiKey).expect(200);
      const [row] = await app.rows<Record<string, unknown>>('SELECT * FROM events WHERE project_id = $1', [
        of.projectId,
      ]);
      expect(JSON.parse(JSON.stringify(row))).toMatchObject({ ...byColumn, project_id: of.projectId });
      const { body } = await app
        .request()
        .get(`/v1/events?project_id=${of.projectId}`)
        .set('Authorization', of.bearer)
        .expect(200);
      expect((body as { items: object[] }).items).toEqual([expect.objectContaining(byColumn)]);
      const { body: csv } = await app
        .request()
        .post(`/v1/projects/${of.projectId}/events/export`)
        .set('Authorization', of.bearer)
        .send({ format: 'csv', range: 'all' })
        .responseType('text')
        .expect(200);
      const [head = '', line = ''] = String(csv).split('\r\n');
      for (const { column, name } of columns) {
        expect(head.split(',')).toContain(column);
        expect(line).toContain(whole[name]);
      }
    });

    it.each(sent.map((field) => [field.sent, field] as const))('tells requests apart by %s', async (name, field) => {
      const of = await ownerWithProject(app);
      const send = (body: object) => ingest(body, of.apiKey).set('Idempotency-Key', 'once');
      await send(whole).expect(200);
      await send({ ...whole, [name]: valueOf(field, true) }).expect(409);
      await send(whole).expect(200);
    });
  });

  it('needs a type and a source alone, and takes the time of arrival', async () => {
    const before = Date.now();
    const answer = await ingest({ event_type: 'ping', source: 'cron' }).expect(200);
    const body = answer.body as { timestamp: string; external_event_id: null; properties: object };
    expect(Date.parse(body.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.timestamp)).toBeLessThanOrEqual(Date.now());
    expect(body).toMatchObject({ external_event_id: null, properties: { source: 'cron' } });
  });

  it.each([
    ['no body', undefined, [['missing', ['body']]]],
    [
      'an empty object',
      {},
      [
        ['missing', ['body', 'event_type']],
        ['missing', ['body', 'source']],
      ],
    ],
    ['an array', [], [['model_attributes_type', ['body']]]],
    [
      'wrong types',
      { event_type: 5, source: null, payload: 'x', properties: [] },
      [
        ['string_type', ['body', 'event_type']],
        ['string_type', ['body', 'source']],
        ['dict_type', ['body', 'payload']],
        ['dict_type', ['body', 'properties']],
      ],
    ],
    [
      'texts that are too short and too long',
      { event_type: '', source: 'x'.repeat(201), message: 'x'.repeat(2001), severity: 'x'.repeat(51) },
      [
        ['string_too_short', ['body', 'event_type']],
        ['string_too_long', ['body', 'source']],
        ['string_too_long', ['body', 'severity']],
        ['string_too_long', ['body', 'message']],
      ],
    ],
    [
      'a time that is none',
      { event_type: 'a', source: 'b', timestamp: 'yesterday' },
      [['datetime_from_date_parsing', ['body', 'timestamp']]],
    ],
    [
      'a time two days ahead',
      { event_type: 'a', source: 'b', timestamp: new Date(Date.now() + 172_800_000).toISOString() },
      [['value_error', ['body', 'timestamp']]],
    ],
    ['a NUL character', { event_type: 'a\u0000b', source: 'b' }, [['value_error', ['body', 'event_type']]]],
    [
      'an unpaired surrogate deep inside',
      { event_type: 'a', source: 'b', payload: { list: [{ text: '\ud800' }] } },
      [['value_error', ['body', 'payload', 'list', 0, 'text']]],
    ],
  ])('refuses %s and stores nothing', async (_, body, issues) => {
    const before = await counts();
    const answer = await ingest(body).expect(422);
    const { detail } = answer.body as { detail: { type: string; loc: unknown[] }[] };
    expect(detail.map(({ type, loc }) => [type, loc])).toEqual(issues);
    expect(await counts()).toEqual(before);
  });

  it('tells of a time too far ahead beside every other fault, as it was sent', async () => {
    const { body } = await ingest({ event_type: '', source: 'b', timestamp: '9999-12-31T23:59:59Z' }).expect(422);
    expect((body as { detail: { loc: string[]; msg: string; input: unknown }[] }).detail).toMatchObject([
      { loc: ['body', 'event_type'] },
      {
        loc: ['body', 'timestamp'],
        msg: 'Value error, timestamp must not be more than 24 hours ahead',
        input: '9999-12-31T23:59:59Z',
      },
    ]);
  });

  it('takes a time up to 24 hours ahead', async () => {
    await ingest({ event_type: 'a', source: 'b', timestamp: new Date(Date.now() + 86_000_000).toISOString() }).expect(
      200,
    );
  });

  it('counts every stored event in the same statement, by the UTC day of acceptance', async () => {
    const day = await utcDay();
    const fresh = await ownerWithProject(app);
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        ingest(
          { event_type: `type-${index % 3}`, source: 's', timestamp: '2015-05-17T10:05:03Z' },
          fresh.apiKey,
        ).expect(200),
      ),
    );
    const usage = await app.rows<{ day: string; api_key_id: string; events_ingested: string }>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, api_key_id, events_ingested FROM usage_daily WHERE project_id = $1`,
      [fresh.projectId],
    );
    expect(usage).toEqual([{ day, api_key_id: fresh.apiKeyId, events_ingested: '60' }]);
    expect(await app.rows('SELECT 1 FROM events WHERE project_id = $1', [fresh.projectId])).toHaveLength(60);
  });

  it('puts new events into the partition of their month and old ones into the default partition', async () => {
    const recent = (await ingest({ event_type: 'a', source: 'b' }).expect(200)).body as { ingested_event_id: string };
    const old = (await ingest({ event_type: 'a', source: 'b', timestamp: '2015-05-17T10:05:03Z' }).expect(200))
      .body as { ingested_event_id: string };
    const partitionOf = async (id: string) =>
      (await app.rows<{ name: string }>('SELECT tableoid::regclass::text AS name FROM events WHERE id = $1', [id]))[0]
        ?.name;
    expect(await partitionOf(recent.ingested_event_id)).toBe(
      `events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`,
    );
    expect(await partitionOf(old.ingested_event_id)).toBe('events_default');
  });

  it('keeps keys that name prototypes as plain data', async () => {
    const answer = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .type('json')
      .send('{"event_type":"a","source":"b","payload":{"__proto__":{"x":1},"constructor":2}}')
      .expect(200);
    const { ingested_event_id: id } = answer.body as { ingested_event_id: string };
    const [row] = await app.rows<{ text: string }>('SELECT properties::text AS text FROM events WHERE id = $1', [id]);
    expect(JSON.parse(row?.text ?? '')).toEqual(JSON.parse('{"__proto__":{"x":1},"constructor":2,"source":"b"}'));
  });

  it('writes neither keys nor payloads to the log', async () => {
    await ingest({ event_type: 'a', source: 'b', payload: { card: 'payload-that-must-not-be-logged' } }).expect(200);
    const log = app.logLines.join('');
    expect(log).not.toContain('payload-that-must-not-be-logged');
    expect(log).not.toContain(owner.apiKey);
    expect(log).not.toContain(owner.accessToken);
  });
});
