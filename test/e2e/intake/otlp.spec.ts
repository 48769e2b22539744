import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { eventually } from '../../support/eventually.js';
import { intake } from '../../support/intake-api.js';
import { JSON_TYPE, logsWith, otlpBody, PROTOBUF, type Signal, sendOtlp } from '../../support/otlp.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { meteredUsage } from '../../support/sql-builders/event-lists.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../../support/otlp-program.mjs', import.meta.url));
const TYPES = [[PROTOBUF], [JSON_TYPE]] as const;
const NANOSECONDS = 1_000_000n;

interface LogLine {
  readonly method: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latency_ms: number;
  readonly event_type: string;
}

let acme: Tenant;
let key: Record<string, string>;

beforeEach(async () => {
  acme = await tenant();
  key = { 'x-api-key': acme.key.apiKey };
});

const send = (signal: Signal, request: object, type: string = PROTOBUF, query = '') =>
  sendOtlp(`${signal}${query}`, otlpBody(signal, request, type), { ...key, 'Content-Type': type });
const stored = () => intake.events(acme);
const messages = async () => (await stored()).map(({ message }) => message);

/** Returns a request with spans of the kind, one for each name. */
function spansOf(kind: number, ...names: string[]): object {
  const now = BigInt(Date.now()) * NANOSECONDS;
  const times = { startTimeUnixNano: String(now), endTimeUnixNano: String(now + 5n * NANOSECONDS) };
  return { resourceSpans: [{ scopeSpans: [{ spans: names.map((name) => ({ name, kind, ...times })) }] }] };
}

describe('a program with nothing but two variables of OpenTelemetry', () => {
  // A program with exporters takes more than a second to start and to send.
  it.each([['proto'], ['http']])('shows its logs, requests and exceptions by the exporter %s', async (exporter) => {
    const env = {
      PATH: process.env.PATH,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/intake/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${acme.key.apiKey}`,
    };
    await run(process.execPath, [PROGRAM, exporter, 'checkout'], { env });
    const events = await stored();
    const byType = (type: string) => events.filter(({ event }) => event === type);
    expect(events.map(({ event, source, environment }) => [event, source, environment]).sort()).toEqual([
      ['exception', 'checkout', 'staging'],
      ['http.request', 'checkout', 'staging'],
      ['http.request', 'checkout', 'staging'],
      ['log', 'checkout', 'staging'],
      ['log', 'checkout', 'staging'],
    ]);
    expect(byType('log')).toMatchObject([
      {
        message: 'The shop is open',
        severity: 'info',
        status: null,
        properties: { port: 80, scope: { name: 'shop' } },
      },
      { message: '{"reason":"no stock","items":[1,2]}', severity: 'error', status: 'error' },
    ]);
    const [exception] = byType('exception');
    const [, failed] = byType('http.request');
    expect(exception).toMatchObject({
      message: 'TypeError: the order has no items',
      severity: 'error',
      properties: {
        'exception.type': 'TypeError',
        'exception.message': 'the order has no items',
        'exception.stacktrace': expect.stringContaining('otlp-program.mjs'),
        trace_id: failed?.properties.trace_id,
        span_id: failed?.properties.span_id,
      },
    });
    const { body } = await api.as(acme.owner).get('/v1/logs', { project_id: acme.projectId }).expect(200);
    const lines = (body as LogLine[]).filter(({ method }) => method === 'GET');
    expect(lines.sort((one, other) => one.status - other.status)).toMatchObject([
      { method: 'GET', endpoint: '/orders/7', status: 200, latency_ms: 125 },
      { method: 'GET', endpoint: '/orders/7', status: 503, latency_ms: 250 },
    ]);
    expect((body as LogLine[]).filter(({ status }) => status === 500)).toHaveLength(2);
  });
});

describe('OTLP logs', () => {
  it.each(TYPES)('are stored from %s, and the answer is empty in the same form', async (type) => {
    const answer = await send('logs', logsWith('one', 'two'), type);
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(answer.headers.get('Content-Type')).toBe(type);
    expect(await messages()).toEqual(['one', 'two']);
  });

  it.each(TYPES)('are stored when they are compressed by gzip, from %s', async (type) => {
    const bytes = gzipSync(otlpBody('logs', logsWith('packed'), type));
    const headers = { ...key, 'Content-Type': type, 'Content-Encoding': 'gzip' };
    expect((await sendOtlp('logs', bytes, headers)).status).toBe(200);
    expect(await messages()).toEqual(['packed']);
  });

  it('are stored once and metered once when they repeat byte for byte', async () => {
    const request = logsWith('once');
    for (let time = 0; time < 3; time += 1) expect((await send('logs', request)).status).toBe(200);
    await send('logs', logsWith('other'));
    expect(await messages()).toEqual(['once', 'other']);
    const metered = await eventually(
      () => meteredUsage(acme.projectId),
      ([usage]) => (usage?.requests ?? 0) > 1,
    );
    expect(metered).toMatchObject([{ requests: 2, events: 2 }]);
  });

  it('are stored again when another key repeats their bytes', async () => {
    const { body } = await api
      .as(acme.owner)
      .post('/v1/api-keys', { project_id: acme.projectId, name: 'Second', scopes: ['events:write'] })
      .expect(201);
    await send('logs', logsWith('same'));
    key = { 'x-api-key': (body as { key: string }).key };
    await send('logs', logsWith('same'));
    expect(await messages()).toEqual(['same', 'same']);
  });

  it('are stored once when the same bytes are sent at the same time, and refused with Retry-After', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('logs', logsWith('race'))));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ status, headers }) => status === 503 && headers.get('Retry-After') === '1')).toBe(true);
    expect(refused.length).toBeLessThan(8);
    expect(await messages()).toEqual(['race']);
  });

  it.each(TYPES)('are stored without an event that is too large, from %s', async (type) => {
    const attributes = [{ key: 'large', value: { stringValue: 'x'.repeat(2 * 1024 * 1024) } }];
    const logRecords = [{ body: { stringValue: 'small' } }, { attributes }];
    const { status, body } = await send('logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }, type);
    expect(status).toBe(200);
    const partial = body.partialSuccess as Record<string, unknown>;
    expect(partial.errorMessage).toBe('The event takes more than 2097152 bytes');
    expect(type === PROTOBUF ? partial.rejected : partial.rejectedLogRecords).toBe(type === PROTOBUF ? 1 : '1');
    expect(await messages()).toEqual(['small']);
  });

  it('are refused as a whole when every event is refused', async () => {
    const attributes = [{ key: 'large', value: { stringValue: 'x'.repeat(2 * 1024 * 1024) } }];
    const answer = await send('logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes }] }] }] });
    expect(answer).toMatchObject({ status: 422, body: { code: 3, message: 'All events of the batch were refused' } });
  });

  it('are stored when one request has 10,000 of them', async () => {
    const bodies = Array.from({ length: 10_000 }, (_, index) => `record ${index}`);
    expect((await send('logs', logsWith(...bodies))).status).toBe(200);
    await api
      .as(acme.key)
      .get('/v1/usage/current')
      .expect(200, /"events_used":10000,/);
  });

  it.each<[string, object]>([
    ['no time', {}],
    ['the time 0', { timeUnixNano: '0' }],
    ['a time in the year 2554', { timeUnixNano: '18446744073709551615' }],
  ])('have the time of arrival when they have %s', async (_, record) => {
    await send('logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    const [event] = await stored();
    const age = Date.parse(event?.created_at ?? '') - Date.parse(event?.timestamp ?? '');
    expect(Math.abs(age)).toBeLessThan(60_000);
    expect(event?.properties.timestamp_original === undefined).toBe(
      !('timeUnixNano' in record) || record.timeUnixNano === '0',
    );
  });

  it('have a replacement character for text that PostgreSQL cannot store', async () => {
    await send('logs', logsWith('a\u0000b'));
    expect(await messages()).toEqual(['a\ufffdb']);
  });
});

describe('OTLP traces', () => {
  it('are stored for served requests only, and for spans of every kind with ?spans=all', async () => {
    expect(await send('traces', spansOf(3, 'client'))).toMatchObject({ status: 200, body: {} });
    expect(await stored()).toEqual([]);
    await send('traces', spansOf(3, 'client'), PROTOBUF, '?spans=all');
    await send('traces', spansOf(2, 'server'));
    await send('traces', spansOf(5, 'consumer'), PROTOBUF, '?spans=requests');
    expect((await stored()).map(({ event, message }) => [event, message])).toEqual([
      ['span', 'client'],
      ['http.request', 'server'],
      ['messaging.process', 'consumer'],
    ]);
  });

  it('are stored again when the same bytes are sent for other spans', async () => {
    const bytes = otlpBody('traces', spansOf(2, 'server'), PROTOBUF);
    for (const path of ['traces', 'traces?spans=all', 'traces'])
      await sendOtlp(path, bytes, { ...key, 'Content-Type': PROTOBUF });
    expect(await messages()).toEqual(['server', 'server']);
  });
});

describe('OTLP metrics', () => {
  it.each(TYPES)('are answered with 200 and the number of rejected points, from %s', async (type) => {
    const metrics = [{ name: 'requests', sum: { dataPoints: [{ asDouble: 1 }, { asDouble: 2 }] } }];
    const { status, body } = await send('metrics', { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }, type);
    expect(status).toBe(200);
    expect(body.partialSuccess).toEqual({
      [type === PROTOBUF ? 'rejected' : 'rejectedDataPoints']: type === PROTOBUF ? 2 : '2',
      errorMessage: 'This service stores logs and traces. Metrics are not stored.',
    });
    expect(await send('metrics', {}, type)).toMatchObject({ status: 200, body: {} });
  });
});

describe('OTLP that cannot be taken', () => {
  const one = otlpBody('logs', logsWith('x'), PROTOBUF);

  it.each<[string, string, Record<string, string>, Buffer | string, number, number]>([
    ['truncated protobuf', 'logs', {}, one.subarray(0, -1), 400, 3],
    ['text in place of protobuf', 'logs', {}, 'hello', 400, 3],
    ['truncated spans', 'traces', {}, otlpBody('traces', spansOf(2, 'x'), PROTOBUF).subarray(0, -1), 400, 3],
    ['truncated metrics', 'metrics', {}, Buffer.from([0x0a, 0x05, 0x12]), 400, 3],
    ['broken JSON', 'logs', { 'Content-Type': JSON_TYPE }, '{"resourceLogs":[', 400, 3],
    ['JSON of another form', 'traces', { 'Content-Type': JSON_TYPE }, '{"resourceSpans":{}}', 400, 3],
    ['broken gzip', 'logs', { 'Content-Encoding': 'gzip' }, 'not gzip', 400, 3],
    ['an unknown wish for spans', 'traces?spans=some', {}, '', 400, 3],
    ['a gzip bomb', 'logs', { 'Content-Encoding': 'gzip' }, gzipSync(Buffer.alloc(64 * 1024 * 1024)), 413, 8],
    ['more than 5 MiB', 'logs', {}, Buffer.alloc(5 * 1024 * 1024 + 1), 413, 8],
    ['another media type', 'logs', { 'Content-Type': 'text/plain' }, 'x', 415, 3],
    ['another encoding', 'logs', { 'Content-Encoding': 'lzma' }, one, 415, 3],
    ['no key', 'logs', { 'x-api-key': '' }, one, 401, 16],
    ['an unknown key', 'logs', { 'x-api-key': 'oes_unknown' }, one, 401, 16],
    ['an unknown signal', 'profiles', {}, one, 404, 5],
  ])('is answered with a google.rpc.Status when the request has %s', async (_, path, headers, body, status, code) => {
    const type = { 'Content-Type': PROTOBUF, ...headers };
    const answer = await sendOtlp(path, body, { ...key, ...type });
    expect(answer).toMatchObject({ status, body: { code, message: expect.stringMatching(/\w/) } });
    expect(answer.headers.get('Content-Type')).toBe(type['Content-Type'] === PROTOBUF ? PROTOBUF : JSON_TYPE);
    expect(await stored()).toEqual([]);
  });

  it.each(TYPES)('is answered with 403 when the key may only read, in %s', async (type) => {
    const { body } = await api
      .as(acme.owner)
      .post('/v1/api-keys', { project_id: acme.projectId, name: 'Reader', scopes: ['events:read'] })
      .expect(201);
    key = { 'x-api-key': (body as { key: string }).key };
    const answer = await send('logs', logsWith('x'), type);
    expect(answer).toMatchObject({ status: 403, body: { code: 7 } });
    expect(answer.headers.get('Content-Type')).toBe(type);
  });

  it('is answered with 401 for the token of a person', async () => {
    key = { Authorization: `Bearer ${acme.owner.accessToken}` };
    expect(await send('logs', logsWith('x'))).toMatchObject({ status: 401, body: { code: 16 } });
  });
});

describe('an empty OTLP request', () => {
  it.each<[string, Buffer | string, string]>([
    ['protobuf without bytes', '', PROTOBUF],
    ['JSON without members', '{}', JSON_TYPE],
    ['a group without records', otlpBody('logs', { resourceLogs: [{}] }, PROTOBUF), PROTOBUF],
    ['unknown fields', Buffer.from([0xfa, 0x01, 0x02, 0x68, 0x69]), PROTOBUF],
    ['fields of other wire types', Buffer.from([0x08, 0x05]), PROTOBUF],
  ])('is answered with 200 and stores nothing when it is %s', async (_, body, type) => {
    expect(await sendOtlp('logs', body, { ...key, 'Content-Type': type })).toMatchObject({ status: 200, body: {} });
    expect(await stored()).toEqual([]);
  });
});
