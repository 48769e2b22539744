import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendBytes } from './raw-requests.js';

const EVENT = JSON.stringify({ event_type: 'order.paid', source: 'shop', payload: { latency_ms: 12, note: 'a' } });
/** The second spelling bypasses the direct route and reaches the router. */
export const WAYS = ['/v1/events/ingest', '/v1/events/ingest?'] as const;

const HOST = 'Host: localhost';
const JSON_TYPE = 'Content-Type: application/json';

export interface RawAnswer {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A service with two ways to the ingest route. */
export interface TwoWayService {
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

/** Sends the bytes of a request as given. */
async function sendRaw(
  url: string,
  path: string,
  head: readonly string[],
  body: string | Buffer,
  method = 'POST',
): Promise<RawAnswer> {
  const hasLength = head.some((line) => /^(content-length|transfer-encoding)/i.test(line));
  const length = hasLength ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [`${method} ${path} HTTP/1.1`, ...head, ...length, 'Connection: close'];
  return answerIn(await sendBytes(url, `${lines.join('\r\n')}\r\n\r\n`, body));
}

export function sendEvent(url: string, path: string, apiKey: string): Promise<RawAnswer> {
  return sendRaw(url, path, [HOST, JSON_TYPE, `X-API-Key: ${apiKey}`], EVENT);
}

/** Removes the values that differ from request to request. */
function answerIn(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [status = '', ...headers] = head.split('\r\n');
  const stable = (one: string): string =>
    one
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/^(Date|X-RateLimit-Reset|X-RateLimit-Remaining|Retry-After): .*/, '$1')
      .replace(/^(Content-Length): .*/, '$1');
  return { status, headers: headers.map(stable).sort(), body: stable(rest.join('\r\n\r\n')) };
}

/** Defines the tests in which the direct route of ingestion and the router must answer in the same way. */
export function describeIngestionWays(
  of: { readonly settings: string; readonly maxBodyBytes: number },
  start: () => Promise<TwoWayService>,
): void {
  describe(`the direct route of ingestion ${of.settings}`, () => {
    let service: TwoWayService;

    beforeAll(async () => {
      service = await start();
    });
    afterAll(() => service.close());

    const key = (): string => `X-API-Key: ${service.apiKey}`;
    const large = JSON.stringify('a'.repeat(of.maxBodyBytes + 1));

    it.each<[status: number, what: string, head: () => string[], body: string | Buffer]>([
      [200, 'an event', () => [HOST, JSON_TYPE, key()], EVENT],
      [200, 'lines', () => [HOST, 'Content-Type: application/x-ndjson', key()], `${EVENT}\n{}\n`],
      [
        200,
        'a chunked body',
        () => [HOST, JSON_TYPE, key(), 'Transfer-Encoding: chunked'],
        `${EVENT.length.toString(16)}\r\n${EVENT}\r\n0\r\n\r\n`,
      ],
      [200, 'a compressed body', () => [HOST, JSON_TYPE, key(), 'Content-Encoding: gzip'], gzipSync(EVENT)],
      [200, 'a request with an X-Request-ID', () => [HOST, JSON_TYPE, key(), 'X-Request-ID: mine'], EVENT],
      [401, 'a request without a key', () => [HOST, JSON_TYPE], EVENT],
      [401, 'an unknown key', () => [HOST, JSON_TYPE, 'X-API-Key: oes_no'], EVENT],
      [401, 'a token in place of a key', () => [HOST, JSON_TYPE, 'X-API-Key: eyJh.eyJi.c'], EVENT],
      [422, 'a wrong event', () => [HOST, JSON_TYPE, key()], '{"event_type":""}'],
      [422, 'a body that is not JSON', () => [HOST, JSON_TYPE, key()], '{"event_type":'],
      [422, 'a request without a body', () => [HOST, JSON_TYPE, key()], ''],
      [422, 'a repeated header', () => [HOST, JSON_TYPE, key(), 'Idempotency-Key: a', 'Idempotency-Key: b'], EVENT],
      [415, 'another media type', () => [HOST, 'Content-Type: text/plain', key()], EVENT],
      [413, 'a body that is too large', () => [HOST, JSON_TYPE, key()], large],
      [400, 'two hosts', () => [HOST, HOST, JSON_TYPE, key()], EVENT],
      [417, 'another expectation', () => [HOST, JSON_TYPE, key(), 'Expect: tea'], EVENT],
    ])('returns %i for %s, as the router does', async (status, _what, head, body) => {
      const direct = await sendRaw(service.url, WAYS[0], head(), body);
      const routed = await sendRaw(service.url, WAYS[1], head(), body);
      expect(direct.status).toContain(` ${status} `);
      expect(direct).toEqual(routed);
    });

    it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('returns 405 for %s, as the router does', async (method) => {
      const answers = await Promise.all(WAYS.map((path) => sendRaw(service.url, path, [HOST, key()], '', method)));
      expect(answers[0]?.status).toContain(' 405 ');
      expect(answers[0]).toEqual(answers[1]);
    });

    it('answers the next request after a client went away in the middle of its body', async () => {
      const { hostname, port } = new URL(service.url);
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          const head = [HOST, JSON_TYPE, key(), 'Content-Length: 9000'].join('\r\n');
          socket.write(`POST ${WAYS[0]} HTTP/1.1\r\n${head}\r\n\r\n{"a`);
          setImmediate(() => socket.destroy());
        });
        socket.on('close', () => resolve());
      });
      expect((await sendEvent(service.url, WAYS[0], service.apiKey)).status).toContain(' 200 ');
    });
  });
}
