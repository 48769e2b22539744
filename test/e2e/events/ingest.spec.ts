import { beforeEach, describe, expect, it } from '@jest/globals';
import { document } from '../../support/document.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { storedProperties } from '../../support/sql-builders/events.js';
import { countedEvents, eventRows, partitionOf } from '../../support/sql-builders/ingestion.js';
import { utcDay } from '../../support/utc-day.js';

const DAY_MS = 86_400_000;
/** The members of a request that become fields of the event, as the OpenAPI document lists them. */
const MEMBERS = Object.keys(document.components.schemas.IngestRequest?.properties ?? {}).filter(
  (member) => member !== 'payload' && member !== 'properties',
);
const RENAMED: Readonly<Record<string, string>> = { event_type: 'event', event_id: 'external_event_id' };
/** The name by which reads return a member. */
const fieldOf = (member: string): string => RENAMED[member] ?? member;

describe('an ingested event', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const ingest = (body?: object | string) => api.as(acme.key).post('/v1/events/ingest', body);
  const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

  it('is stored as it is answered', async () => {
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
      project_id: acme.projectId,
      api_key_id: acme.key.id,
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
    const [row] = await eventRows(acme.projectId);
    expect(row).toMatchObject({
      id: body.ingested_event_id,
      event: 'http.request',
      source: 'web',
      severity: 'info',
      status: 'success',
      environment: 'production',
      message: 'GET /cart',
      external_event_id: 'ext-1',
      properties,
      api_key_id: acme.key.id,
    });
    expect(row?.timestamp.toISOString()).toBe('2026-01-02T01:04:05.678Z');
  });

  describe('a request with every member', () => {
    const valueOf = (member: string, other = false): string =>
      member === 'timestamp' ? `2026-02-0${other ? 2 : 1}T03:04:05.678Z` : `${other ? 'another' : 'the'} ${member}`;
    const whole = Object.fromEntries(MEMBERS.map((member) => [member, valueOf(member)]));
    const fields = Object.fromEntries(MEMBERS.map((member) => [fieldOf(member), valueOf(member)]));

    it('has the known members', () => {
      const known = ['event_type', 'source', 'severity', 'status', 'environment', 'message', 'event_id', 'timestamp'];
      expect(MEMBERS).toEqual(expect.arrayContaining(known));
    });

    it('becomes an event that is stored, read and exported with all of them', async () => {
      const { owner, projectId } = acme;
      await ingest(whole).expect(200);
      const [row] = await eventRows(projectId);
      expect(JSON.parse(JSON.stringify(row))).toMatchObject({ ...fields, project_id: projectId });
      const { body } = await api.as(owner).get('/v1/events', { project_id: projectId }).expect(200);
      expect((body as { items: object[] }).items).toEqual([expect.objectContaining(fields)]);
      const { body: csv } = await api
        .as(owner)
        .post(`/v1/projects/${projectId}/events/export`, { format: 'csv', range: 'all' })
        .responseType('text')
        .expect(200);
      const [head = '', line = ''] = String(csv).split('\r\n');
      for (const member of MEMBERS) {
        expect(head.split(',')).toContain(fieldOf(member));
        expect(line).toContain(whole[member]);
      }
    });

    it.each(MEMBERS)('returns 409 for its Idempotency-Key when %s differs', async (member) => {
      const send = (body: object) => ingest(body).set('Idempotency-Key', 'once');
      await send(whole).expect(200);
      await send({ ...whole, [member]: valueOf(member, true) }).expect(409);
      await send(whole).expect(200);
    });
  });

  it('needs only a type and a source, and has the time of arrival', async () => {
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
      { event_type: 'a', source: 'b', timestamp: ahead(2 * DAY_MS) },
      [['value_error', ['body', 'timestamp']]],
    ],
    ['a NUL character', { event_type: 'a\u0000b', source: 'b' }, [['value_error', ['body', 'event_type']]]],
    [
      'an unpaired surrogate deep inside',
      { event_type: 'a', source: 'b', payload: { list: [{ text: '\ud800' }] } },
      [['value_error', ['body', 'payload', 'list', 0, 'text']]],
    ],
  ])('is refused with 422 and not stored when its request has %s', async (_, body, issues) => {
    const answer = await ingest(body).expect(422);
    const { detail } = answer.body as { detail: { type: string; loc: unknown[] }[] };
    expect(detail.map(({ type, loc }) => [type, loc])).toEqual(issues);
    expect(await eventRows(acme.projectId)).toEqual([]);
    expect(await countedEvents(acme.projectId)).toEqual([]);
  });

  it('is refused for all its faults at once, and for a time too far ahead with the text that was sent', async () => {
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

  it('may have a time up to 24 hours ahead', async () => {
    await ingest({ event_type: 'a', source: 'b', timestamp: ahead(86_000_000) }).expect(200);
  });

  it('is counted by the time its request is answered, on the UTC day of its acceptance', async () => {
    const day = await utcDay();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        ingest({ event_type: `type-${index % 3}`, source: 's', timestamp: '2015-05-17T10:05:03Z' }).expect(200),
      ),
    );
    expect(await countedEvents(acme.projectId)).toEqual([{ day, api_key_id: acme.key.id, events_ingested: '60' }]);
    expect(await eventRows(acme.projectId)).toHaveLength(60);
  });

  it('is stored in the partition of its month when it is new, and in the default partition when it is old', async () => {
    const send = async (body: object) =>
      (await ingest({ event_type: 'a', source: 'b', ...body }).expect(200)).body as {
        ingested_event_id: string;
        timestamp: string;
      };
    const [recent, old] = [await send({}), await send({ timestamp: '2015-05-17T10:05:03Z' })];
    const month = recent.timestamp.slice(0, 7).replace('-', '_');
    expect(await partitionOf(recent.ingested_event_id)).toBe(`events_${month}`);
    expect(await partitionOf(old.ingested_event_id)).toBe('events_default');
  });

  it('keeps members that are named like prototypes as plain data', async () => {
    await api
      .as(acme.key)
      .post('/v1/events/ingest')
      .type('json')
      .send('{"event_type":"a","source":"b","payload":{"__proto__":{"x":1},"constructor":2}}')
      .expect(200);
    const [properties = ''] = await storedProperties(acme.projectId);
    expect(JSON.parse(properties)).toEqual(JSON.parse('{"__proto__":{"x":1},"constructor":2,"source":"b"}'));
  });

  it('leaves neither its payload nor its credentials in the log', async () => {
    await ingest({ event_type: 'a', source: 'b', payload: { card: 'payload-that-must-not-be-logged' } }).expect(200);
    const log = await logText();
    expect(log).not.toContain('payload-that-must-not-be-logged');
    expect(log).not.toContain(acme.key.apiKey);
    expect(log).not.toContain(acme.owner.accessToken);
  });
});
