import { beforeEach, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { preflight } from '../../support/browser-requests.js';
import { eventually } from '../../support/eventually.js';
import type { IngestAnswer } from '../../support/ingestion-api.js';
import { type IntakeEvent, intake } from '../../support/intake-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { ingestionDatabase } from '../../support/sql-builders/ingestion.js';

const MIB = 1024 * 1024;
const LINES = { 'Content-Type': 'application/x-ndjson' };
const ALL_REFUSED = 'All events of the batch were refused';
const SHOP = 'https://shop.example.com';

type Headers = Readonly<Record<string, string>>;

const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
const members = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"p${n}":${n}`).join(',')}}`;

describe('the intake', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const send = (body: object | string | Buffer, headers: Headers = {}, path = 'json'): Promise<IngestAnswer> =>
    intake.send(path, body, { 'X-API-Key': acme.key.apiKey, ...headers });
  const stored = (): Promise<IntakeEvent[]> => intake.events(acme);

  it.each([
    ['64 MiB that gzip makes small', gzipSync(Buffer.alloc(64 * MIB, ' ')), { 'Content-Encoding': 'gzip' }, 413],
    ['more than 5 MiB', ' '.repeat(5 * MIB + 1), {}, 413],
    ['a list of 1,001 events', `[${'{},'.repeat(1000)}{}]`, {}, 413],
    ['1,001 lines', '{}\n'.repeat(1001), LINES, 413],
    ['a list of a million numbers', `[${'1,'.repeat(MIB)}1]`, {}, 413],
    ['text that is not compressed as it says', '{}', { 'Content-Encoding': 'gzip' }, 422],
    ['an unknown encoding', '{}', { 'Content-Encoding': 'compress' }, 415],
    ['another media type', '{}', { 'Content-Type': 'text/plain' }, 415],
    ['another charset', '{}', { 'Content-Type': 'application/json; charset=utf-16' }, 415],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}, 422],
    ['NaN', '{"a":NaN}', {}, 422],
    ['text that ends early', '[{"a":1},', {}, 422],
    ['1,001 levels', nested(1001), {}, 422],
    ['an event of more than 2 MiB', { a: 'x'.repeat(4 * MIB) }, {}, 422],
    ['numbers that take more than 2 MiB with all digits', `{"a":[${'1e308,'.repeat(20_000)}1]}`, {}, 422],
  ])('refuses and does not store %s', async (_, body, headers, status) => {
    expect((await send(body, headers)).status).toBe(status);
    expect(await stored()).toEqual([]);
  });

  it('refuses only the faulty lines, and gives the reason of each', async () => {
    const notUtf8 = Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.from([0xff]), Buffer.from('\n{"a":NaN}\n7\n{}')]);
    const { status, body } = await send(notUtf8, LINES);
    expect([status, body.accepted, body.rejected]).toEqual([200, 2, 3]);
    expect(body.results).toMatchObject([
      { accepted: true },
      { position: 1, accepted: false, detail: 'The line is no JSON: Invalid UTF-8' },
      { position: 2, accepted: false, detail: expect.stringMatching(/^The line is no JSON: /) },
      { position: 3, accepted: false, detail: 'The event must be a JSON object' },
      { accepted: true },
    ]);
  });

  it.each([
    [
      'a type and a source that are long',
      { type: '😀'.repeat(300), source: 'x'.repeat(201) },
      {
        event: `${'😀'.repeat(199)}…`,
        source: `${'x'.repeat(199)}…`,
      },
    ],
    [
      'a severity, a status and an environment that are long',
      {
        level: 's'.repeat(51),
        status: 't'.repeat(101),
        environment: 'e'.repeat(101),
      },
      {
        severity: `${'s'.repeat(49)}…`,
        status: `${'t'.repeat(99)}…`,
        environment: `${'e'.repeat(99)}…`,
      },
    ],
    ['a message of exactly 2,000 characters', { msg: 'é'.repeat(2000) }, { message: 'é'.repeat(2000) }],
    [
      'a longer message',
      { msg: 'm'.repeat(3000) },
      {
        message: `${'m'.repeat(1999)}…`,
        properties: { message_full: 'm'.repeat(3000) },
      },
    ],
    [
      'a message of megabytes',
      { msg: 'm'.repeat(4 * MIB) },
      {
        message: `${'m'.repeat(1999)}…`,
        properties: { message_full: `${'m'.repeat(64 * 1024 - 3)}…` },
      },
    ],
    [
      'text that PostgreSQL does not store',
      '{"msg":"a\\u0000b","\\ud800":"\\udc00"}',
      {
        message: 'a\ufffdb',
        properties: { '\ufffd': '\ufffd' },
      },
    ],
    ['numbers beyond a double', '{"big":1e400,"exact":12345678901234567890}', { properties: { big: 'Infinity' } }],
    [
      'members that are named like those of objects',
      '{"__proto__":{"a":1},"constructor":7}',
      {
        properties: { constructor: 7 },
      },
    ],
    [
      'names that are no text',
      { type: 7, host: { name: 'a' }, message: ['x'], level: 30 },
      {
        event: 'event',
        source: 'json',
        message: null,
        severity: null,
        properties: { type: 7, host: { name: 'a' }, message: ['x'], level: 30 },
      },
    ],
  ])('cuts, marks and stores %s', async (_, body, expected) => {
    expect(await send(body)).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await stored()).toMatchObject([expected]);
  });

  it('keeps 512 of 10,000 attributes and says how many it left out', async () => {
    await send(members(10_000));
    const [event] = await stored();
    expect(event?.properties).toMatchObject({ p0: 0, p511: 511, properties_dropped: 10_000 - 512 });
    expect(event?.properties).not.toHaveProperty('p512');
  });

  it('replaces what is nested deeper than 64 levels by an ellipsis', async () => {
    await send(`{"a":${nested(998)}}`);
    const [event] = await stored();
    expect(JSON.stringify(event?.properties.a)).toBe(`${'['.repeat(63)}"…"${']'.repeat(63)}`);
  });

  const DAY_MS = 86_400_000;

  it.each([
    ['seconds', 1_763_632_800, '2025-11-20T10:00:00.000Z'],
    ['milliseconds', 1_763_632_800_123, '2025-11-20T10:00:00.123Z'],
    ['microseconds', 1_763_632_800_123_456, '2025-11-20T10:00:00.123Z'],
    ['digits of nanoseconds', '1763632800123456789', '2025-11-20T10:00:00.123Z'],
    ['text without a zone', '2025-11-20 10:00:00', '2025-11-20T10:00:00.000Z'],
    ['text of RFC 2822', 'Thu, 20 Nov 2025 10:00:00 +0100', '2025-11-20T09:00:00.000Z'],
  ])('reads a time in %s', async (_, ts, timestamp) => {
    await send({ ts });
    expect(await stored()).toMatchObject([{ timestamp }]);
  });

  it.each([
    ['zero', '0', 0],
    ['nanoseconds beyond 64 bits', '99999999999999999999', undefined],
    ['more digits than a double has', '1e300', 1e300],
    ['the day after tomorrow', JSON.stringify(new Date(Date.now() + 2 * DAY_MS).toISOString()), undefined],
    ['a word', '"yesterday"', 'yesterday'],
    ['a date that does not exist', '"2026-02-30"', '2026-02-30'],
  ])('takes the time of arrival and keeps the original when the time is %s', async (_, ts, original) => {
    await send(`{"time":${ts}}`);
    const [event] = await stored();
    expect(event?.properties).toHaveProperty('timestamp_original');
    if (original !== undefined) expect(event?.properties.timestamp_original).toBe(original);
    expect(Math.abs(Date.parse(event?.timestamp ?? '') - Date.parse(event?.created_at ?? ''))).toBeLessThan(60_000);
  });

  it('masks the whole message when the project redacts the message', async () => {
    await api
      .as(acme.owner)
      .put(`/v1/projects/${acme.projectId}/settings`, { redacted_properties: ['message', 'card.number'] })
      .expect(200);
    await send({ msg: `secret ${'m'.repeat(3000)}`, card: { number: '4111', kind: 'visa' } });
    const [event] = await stored();
    expect(event).toMatchObject({
      message: '[redacted]',
      properties: { message_full: '[redacted]', card: { number: '[redacted]', kind: 'visa' } },
    });
  });

  describe('a key of the intake', () => {
    const keyWith = async (scopes: readonly string[]): Promise<{ id: string; key: string }> => {
      const body = { project_id: acme.projectId, name: 'k', scopes };
      return (await api.as(acme.owner).post('/v1/api-keys', body).expect(201)).body as { id: string; key: string };
    };

    it('needs the scope to write', async () => {
      const { key } = await keyWith(['events:read']);
      expect(await send({}, { 'X-API-Key': key })).toMatchObject({
        status: 403,
        body: { detail: 'Missing required scope: events:write' },
      });
    });

    it.each([
      ['unknown', 'oes_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
      ['malformed', 'oes_'],
    ])('is refused when it is %s', async (_, key) => {
      expect(await send({}, { 'X-API-Key': key })).toMatchObject({ status: 401, body: { detail: 'Invalid API key' } });
      const bearer = await intake.send('json', {}, { Authorization: `Bearer ${key}` });
      expect(bearer).toMatchObject({ status: 401, body: { detail: 'Invalid API key' } });
    });

    it('is refused when it is revoked', async () => {
      const { id, key } = await keyWith(['events:write']);
      await api.as(acme.owner).post(`/v1/api-keys/${id}/revoke`).expect(200);
      expect((await send({}, { 'X-API-Key': key })).status).toBe(403);
    });

    it('is taken only from its origin when it is a browser key', async () => {
      await ingestionDatabase.setPlan(acme.organizationId, 'scale');
      const source = { project_id: acme.projectId, name: 'Checkout', type: 'browser' };
      const { body: created } = await api.as(acme.owner).post('/v1/ingest-sources', source).expect(201);
      const path = `/v1/ingest-sources/${(created as { id: string }).id}/browser-keys`;
      const { body } = await api
        .as(acme.owner)
        .post(path, { name: 'Shop', allowed_origins: [SHOP] })
        .expect(201);
      const { key } = body as { key: string };
      const from = (origin: string) => send({}, { 'X-API-Key': key, Origin: origin });
      expect(await from(SHOP)).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': SHOP } });
      expect(await from('https://other.example.com')).toMatchObject({ status: 403 });
      const { status, headers } = await preflight('/intake/cloudevents', SHOP);
      expect([status, headers['access-control-allow-headers']]).toEqual([204, 'Authorization, *']);
    });
  });

  it('refuses the events of an archived project, and records it for the owner of the key', async () => {
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
    expect(await send([{}, {}])).toMatchObject({ status: 403, body: { detail: 'Project is archived' } });
    expect(await ingestionDatabase.refusals(acme.key.id)).toEqual([
      { reason_code: 'project_archived', status_code: 403, count: 1 },
    ]);
  });

  it('stores as many events as the quota has room for, and records the refusal for the owner of the key', async () => {
    await ingestionDatabase.setMonthlyEvents(acme.organizationId, 3);
    const first = await send([{}, {}, {}, {}, {}]);
    expect(first).toMatchObject({ status: 200, body: { accepted: 3, rejected: 2 } });
    expect((first.body.results as object[])[3]).toEqual({
      position: 3,
      accepted: false,
      duplicate: false,
      detail: 'Monthly quota exceeded (events)',
    });
    expect(await send([{}])).toMatchObject({
      status: 403,
      headers: { 'x-service-block-reason': 'limit_exceeded', 'x-service-monthly-limit': '3' },
      body: { accepted: 0, rejected: 1, detail: ALL_REFUSED },
    });
    expect(await send([{}, 7])).toMatchObject({ status: 422, body: { detail: ALL_REFUSED } });
    expect(await stored()).toHaveLength(3);
    expect(await ingestionDatabase.refusals(acme.key.id)).toEqual([
      { reason_code: 'limit_exceeded', status_code: 403, count: 3 },
    ]);
  });

  it('counts a request once and each event once, but no repeat of a request', async () => {
    const basic = { 'X-API-Key': '', Authorization: `Basic ${btoa(`${acme.key.apiKey}:`)}` };
    await send([{}, {}, 7], { 'Idempotency-Key': 'k' });
    await send([{}, {}, 7], { 'Idempotency-Key': 'k' });
    await send({}, basic);
    await send('7', basic);
    await eventually(
      () => ingestionDatabase.countedDays(acme.projectId),
      (rows) => JSON.stringify(rows) === '[{"requests":2,"events":3}]',
    );
  });

  it('has no other methods and paths', async () => {
    await api.get('/intake/json').expect(405);
    await api.post('/intake/xml').expect(404);
  });
});
