import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { tenant, type Tenant } from '../../support/ingestion.js';

const EVENT = JSON.stringify({ event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12, note: 'a' } });
/** The second is the same route, spelled so that it is found by the router. */
const WAYS = ['/v1/events/ingest', '/v1/events/ingest?'] as const;

interface Told {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: string;
}

describe.each([
  ['without', {}],
  ['with', { CORS_ORIGINS: 'https://app.example.com' }],
] as const)('ingestion by its own way and by the router, %s pages of other origins', (_, env) => {
  let app: TestApp;
  let owner: Tenant;

  beforeAll(async () => {
    app = await createTestApp({
      env: { ...env, MAX_BODY_BYTES: '20000', RATE_LIMIT_OVERRIDES: 'events=1000000/40' },
    });
    owner = await tenant(app);
  });
  afterAll(() => app.close());

  /** Bytes as they are, past any client's good manners. */
  const raw = (path: string, head: readonly string[], body: string | Buffer, method = 'POST'): Promise<Told> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(told(Buffer.concat(chunks).toString())));
      const length = head.some((line) => /^(content-length|transfer-encoding)/i.test(line))
        ? []
        : [`Content-Length: ${Buffer.byteLength(body)}`];
      socket.write(`${[`${method} ${path} HTTP/1.1`, ...head, ...length, 'Connection: close'].join('\r\n')}\r\n\r\n`);
      socket.write(body);
    });

  /** Without what differs from one request to the next. */
  const told = (text: string): Told => {
    const [head = '', ...rest] = text.split('\r\n\r\n');
    const [status = '', ...headers] = head.split('\r\n');
    const stable = (one: string): string =>
      one
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/^(Date|X-RateLimit-Reset|X-RateLimit-Remaining|Retry-After): .*/, '$1')
        .replace(/^(Content-Length): .*/, '$1');
    return { status, headers: headers.map(stable).sort(), body: stable(rest.join('\r\n\r\n')) };
  };

  const HOST = 'Host: localhost';
  const JSON_TYPE = 'Content-Type: application/json';
  const key = (): string => `X-API-Key: ${owner.apiKey}`;

  const cases: readonly (readonly [name: string, status: number, head: () => string[], body: string | Buffer])[] = [
    ['takes an event', 200, () => [HOST, JSON_TYPE, key()], EVENT],
    ['takes lines', 200, () => [HOST, 'Content-Type: application/x-ndjson', key()], `${EVENT}\n{}\n`],
    [
      'takes a chunked body',
      200,
      () => [HOST, JSON_TYPE, key(), 'Transfer-Encoding: chunked'],
      `${EVENT.length.toString(16)}\r\n${EVENT}\r\n0\r\n\r\n`,
    ],
    ['takes a compressed body', 200, () => [HOST, JSON_TYPE, key(), 'Content-Encoding: gzip'], gzipSync(EVENT)],
    ['keeps the name of a request', 200, () => [HOST, JSON_TYPE, key(), 'X-Request-ID: mine'], EVENT],
    ['refuses no key', 401, () => [HOST, JSON_TYPE], EVENT],
    ['refuses an unknown key', 401, () => [HOST, JSON_TYPE, 'X-API-Key: oes_no'], EVENT],
    ['refuses a token in its place', 401, () => [HOST, JSON_TYPE, 'X-API-Key: eyJh.eyJi.c'], EVENT],
    ['refuses a wrong event', 422, () => [HOST, JSON_TYPE, key()], '{"event_type":""}'],
    ['refuses what is no JSON', 422, () => [HOST, JSON_TYPE, key()], '{"event_type":'],
    ['refuses no body', 422, () => [HOST, JSON_TYPE, key()], ''],
    [
      'refuses a repeated header',
      422,
      () => [HOST, JSON_TYPE, key(), 'Idempotency-Key: a', 'Idempotency-Key: b'],
      EVENT,
    ],
    ['refuses another media type', 415, () => [HOST, 'Content-Type: text/plain', key()], EVENT],
    ['refuses a body that is too large', 413, () => [HOST, JSON_TYPE, key()], JSON.stringify('a'.repeat(20_001))],
    ['refuses two hosts', 400, () => [HOST, HOST, JSON_TYPE, key()], EVENT],
    ['refuses another expectation', 417, () => [HOST, JSON_TYPE, key(), 'Expect: tea'], EVENT],
  ];

  it.each(cases)('%s', async (_name, status, head, body) => {
    const [direct, routed] = [await raw(WAYS[0], head(), body), await raw(WAYS[1], head(), body)];
    expect(direct.status).toContain(` ${status} `);
    expect(direct).toEqual(routed);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('knows no %s', async (method) => {
    const answers = await Promise.all(WAYS.map((path) => raw(path, [HOST, key()], '', method)));
    expect(answers[0]?.status).toContain(' 405 ');
    expect(answers[0]).toEqual(answers[1]);
  });

  it('refuses beyond the rate, and tells of both ways alike in log and metrics', async () => {
    const fresh = await tenant(app);
    const send = (path: string): Promise<Told> => raw(path, [HOST, JSON_TYPE, `X-API-Key: ${fresh.apiKey}`], EVENT);
    for (let count = 0; count < 40; count += 1) await send(WAYS[count % 2] ?? '');
    const refused = [await send(WAYS[0]), await send(WAYS[1])];
    expect(refused[0]?.status).toContain(' 429 ');
    expect(refused[0]).toEqual(refused[1]);

    const lines = app.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ message, status }) => message === 'request' && status === 429);
    const facts = lines.map(({ time, duration_ms, request_id, ...rest }) => [
      typeof time,
      typeof duration_ms,
      typeof request_id,
      rest,
    ]);
    expect(facts).toHaveLength(2);
    expect(facts[0]).toEqual(facts[1]);
    const text = await app.metrics();
    const counted = /^http_request_duration_seconds_count\{.*status="200".*\} (\d+)$/gm;
    const ingested = [...text.matchAll(counted)].filter(([line]) => line.includes('/v1/events/ingest'));
    expect(ingested).toHaveLength(1);
  });

  it('finishes what it has begun when the client goes away, and answers the next', async () => {
    const { hostname, port } = new URL(app.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST ${WAYS[0]} HTTP/1.1\r\n${[HOST, JSON_TYPE, key(), 'Content-Length: 9000'].join('\r\n')}\r\n\r\n{"a`,
        );
        setImmediate(() => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await raw(WAYS[0], [HOST, JSON_TYPE, key()], EVENT)).status).toContain(' 200 ');
  });
});
