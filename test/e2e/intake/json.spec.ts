import { beforeEach, describe, expect, it } from '@jest/globals';
import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type IntakeEvent, intake } from '../../support/intake-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';

const LINES = { 'Content-Type': 'application/x-ndjson' };
/** Node has zstd from 22.15 on. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (data: Buffer | string) => Buffer };
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);

/** Returns members that each have a time of their own: in the year 2001 for the first one, and so on. */
const times = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, index) => [name, `${2001 + index}-01-01T00:00:00.000Z`]));
const ofYear = (number: number): object => ({ timestamp: `${2000 + number}-01-01T00:00:00.000Z` });

describe('JSON of any shape', () => {
  let acme: Tenant;
  let key: Record<string, string>;

  beforeEach(async () => {
    acme = await tenant();
    key = { 'X-API-Key': acme.key.apiKey };
  });

  const send = (body: object | string | Buffer, headers: Record<string, string> = {}, query = '') =>
    intake.send(`json${query}`, body, { ...key, ...headers });
  const stored = () => intake.events(acme);
  const only = async (): Promise<IntakeEvent> => {
    const [event] = await stored();
    if (event === undefined) throw new Error('no event is stored');
    return event;
  };

  it('is stored with the fields that it names in usual words, and keeps other members as properties', async () => {
    const answer = await send({
      type: 'order.paid',
      service: 'shop',
      ts: '2026-11-20T10:00:00.123456789Z',
      msg: 'Paid',
      level: 'info',
      user: { id: 608548899684111178n.toString(), email: null },
      tags: ['a'],
      nothing: null,
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        accepted: 1,
        rejected: 0,
        duplicates: 0,
        results: [{ position: 0, accepted: true, duplicate: false, ingested_event_id: ID }],
      },
    });
    expect(await only()).toMatchObject({
      id: (answer.body.results as { ingested_event_id: string }[])[0]?.ingested_event_id,
      event: 'order.paid',
      source: 'shop',
      timestamp: '2026-11-20T10:00:00.123Z',
      message: 'Paid',
      severity: 'info',
      properties: { user: { id: '608548899684111178', email: null }, tags: ['a'] },
    });
    expect((await only()).properties).not.toHaveProperty('nothing');
  });

  it.each([
    ['an object', '{"type":"a"}', {}, 1],
    ['a list', '[{"type":"a"},{"type":"b"}]', {}, 2],
    ['lines', '{"type":"a"}\n\n{"type":"b"}\r\n', LINES, 2],
    ['lines of application/ndjson', '{"type":"a"}', { 'Content-Type': 'application/ndjson' }, 1],
    ['lines of application/jsonl', '{"type":"a"}\n{}', { 'Content-Type': 'application/jsonl; charset=utf-8' }, 2],
    ['lines that are declared as JSON', '{"type":"a"}\n{"type":"b"}\n', {}, 2],
    ['gzip', gzipSync('[{"type":"a"}]'), { 'Content-Encoding': 'gzip' }, 1],
    ['deflate', deflateSync('{"type":"a"}'), { 'Content-Encoding': 'deflate' }, 1],
    ['brotli', brotliCompressSync('{"type":"a"}'), { 'Content-Encoding': 'br' }, 1],
    ['an empty list', '[]', {}, 0],
    ['blank lines', '\n \n', LINES, 0],
  ])('is taken as %s', async (_, body, headers, count) => {
    const { status, body: answer } = await send(body, headers);
    expect([status, answer.accepted, answer.rejected]).toEqual([200, count, 0]);
    expect(await stored()).toHaveLength(count);
  });

  it.each<[string, object, object, readonly string[]]>([
    ['event_type', { name: 'd', event: 'c', type: 'b', event_type: 'a' }, { event: 'a' }, ['type', 'event', 'name']],
    ['type', { name: 'd', event: 'c', type: 'b' }, { event: 'b' }, ['event', 'name']],
    ['event', { name: 'd', event: 'c', type: '' }, { event: 'c' }, ['name', 'type']],
    ['name', { name: 'd', event: { id: 1 }, type: 7 }, { event: 'd' }, ['event', 'type']],
    ['source', { host: 'd', app: 'c', service: 'b', source: 'a' }, { source: 'a' }, ['service', 'app', 'host']],
    ['service', { host: 'd', app: 'c', service: 'b' }, { source: 'b' }, ['app', 'host']],
    ['app', { host: 'd', app: 'c', service: ['b'] }, { source: 'c' }, ['host', 'service']],
    ['host', { host: 'd', app: true }, { source: 'd' }, ['app']],
    ['message', { body: 'd', log: 'c', msg: 'b', message: 'a' }, { message: 'a' }, ['msg', 'log', 'body']],
    ['msg', { body: 'd', log: 'c', msg: 'b' }, { message: 'b' }, ['log', 'body']],
    ['log', { body: 'd', log: 'c', msg: { id: 1 } }, { message: 'c' }, ['body', 'msg']],
    ['body', { body: 'd', log: 5 }, { message: 'd' }, ['log']],
    ['severity', { levelname: 'c', level: 'b', severity: 'a' }, { severity: 'a' }, ['level', 'levelname']],
    ['level', { levelname: 'c', level: 'b' }, { severity: 'b' }, ['levelname']],
    ['levelname', { levelname: 'c', level: 30 }, { severity: 'c' }, ['level']],
    [
      'timestamp',
      times('date', '@timestamp', 'ts', 'time', 'timestamp'),
      ofYear(5),
      ['date', '@timestamp', 'ts', 'time'],
    ],
    ['time', times('date', '@timestamp', 'ts', 'time'), ofYear(4), ['date', '@timestamp', 'ts']],
    ['ts', times('date', '@timestamp', 'ts'), ofYear(3), ['date', '@timestamp']],
    ['@timestamp', { ...times('date', '@timestamp'), ts: null }, ofYear(2), ['date']],
    ['date', { ...times('date'), time: { seconds: 1 }, ts: false }, ofYear(1), ['time', 'ts']],
  ])(
    'has the field %s from the first of its names that are text, and keeps the others',
    async (_, body, field, kept) => {
      await send(body);
      const event = await only();
      expect(event).toMatchObject(field);
      const members = body as Record<string, unknown>;
      expect(event.properties).toMatchObject(Object.fromEntries(kept.map((name) => [name, members[name]])));
    },
  );

  it.each([
    ['X-API-Key', (secret: string) => ({ 'X-API-Key': secret })],
    ['a bearer token', (secret: string) => ({ Authorization: `Bearer ${secret}` })],
    ['the user name of Basic', (secret: string) => ({ Authorization: `Basic ${btoa(`${secret}:`)}` })],
  ])('is taken with the key as %s', async (_, headersOf) => {
    const answer = await intake.send('json', { type: 'a' }, headersOf(acme.key.apiKey));
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-ratelimit-policy': 'intake', 'x-ratelimit-limit': expect.any(String) },
    });
  });

  if (zstdCompressSync === undefined) {
    it.skip('zstd: this release of Node does not have it', () => undefined);
  } else {
    it('is taken as zstd, and refused where zstd is broken or too large', async () => {
      const zstd = { 'Content-Encoding': 'zstd' };
      expect((await send(zstdCompressSync('[{"type":"a"}]'), zstd)).body).toMatchObject({ accepted: 1 });
      expect((await send(zstdCompressSync(Buffer.alloc(64 * 1024 * 1024, ' ')), zstd)).status).toBe(413);
      expect((await send(zstdCompressSync('{"type":"a"}').subarray(0, -3), zstd)).status).toBe(422);
      expect((await send('{"type":"a"}', zstd)).status).toBe(422);
      expect(await stored()).toHaveLength(1);
    });
  }

  it('is refused with a human token and without a key', async () => {
    const refused: Record<string, string>[] = [{ Authorization: `Bearer ${acme.owner.accessToken}` }, {}];
    for (const headers of refused)
      expect(await intake.send('json', { type: 'a' }, headers)).toMatchObject({
        status: 401,
        body: { detail: 'Not authenticated' },
      });
    const asBearer = api.post('/v1/events/ingest', { event_type: 'a', source: 'b' });
    await asBearer.set('Authorization', `Bearer ${acme.key.apiKey}`).expect(401);
  });

  it('has type and source from the query when an event names none', async () => {
    await send([{}, { type: 'own', app: 'own' }], {}, '?event_type=default&source=shipper');
    expect((await stored()).map(({ event, source }) => [event, source])).toEqual([
      ['default', 'shipper'],
      ['own', 'own'],
    ]);
  });

  it('is answered alike when it is repeated with its Idempotency-Key, and stored once', async () => {
    const body = [{ type: 'a' }, 7, { type: 'b' }];
    const first = await send(body, { 'Idempotency-Key': 'batch-1' });
    const again = await send(body, { 'Idempotency-Key': 'batch-1' });
    expect(first.body).toMatchObject({ accepted: 2, rejected: 1, duplicates: 0 });
    expect(again.body).toMatchObject({
      accepted: 2,
      rejected: 1,
      duplicates: 2,
      results: (first.body.results as { accepted: boolean }[]).map((result) => ({
        ...result,
        duplicate: result.accepted,
      })),
    });
    expect(await stored()).toHaveLength(2);
    expect((await send([{}], { 'Idempotency-Key': 'batch-1' })).status).toBe(409);
  });

  it('is refused with 422 and the reason of each event when no event of it can be stored', async () => {
    const { status, body } = await send('[1,"text",null]');
    const detail = 'The event must be a JSON object';
    expect([status, body]).toEqual([
      422,
      {
        accepted: 0,
        rejected: 3,
        duplicates: 0,
        results: [0, 1, 2].map((position) => ({ position, accepted: false, duplicate: false, detail })),
        detail: 'All events of the batch were refused',
      },
    ]);
  });
});
