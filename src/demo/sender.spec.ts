import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiClient } from './api-client.js';
import { type EventLine, type LineOutcome, SingleEventSender } from './sender.js';

interface Reply {
  readonly status: number;
  readonly detail?: unknown;
  readonly retryAfter?: string;
}

const OK: Reply = { status: 200 };

describe('SingleEventSender', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** A service that answers the nth ingestion as told. @returns what the sender made of it */
  async function sendTo(
    reply: (n: number, body: string, request: IncomingMessage) => Reply | 'hang up',
    count: number,
  ) {
    let requests = 0;
    server = createServer((request, response) => {
      if (request.url === '/ready') return response.end('{"ready":true}');
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = reply((requests += 1), Buffer.concat(chunks).toString(), request);
        if (answer === 'hang up') return request.socket.destroy();
        const retry = answer.retryAfter === undefined ? {} : { 'Retry-After': answer.retryAfter };
        response.writeHead(answer.status, retry).end(JSON.stringify({ detail: answer.detail }));
      });
      return undefined;
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const outcomes: LineOutcome[] = [];
    const waits: number[] = [];
    const sender = new SingleEventSender({
      client: new ApiClient(`http://127.0.0.1:${port}`),
      apiKey: 'the-key',
      concurrency: 4,
      wait: async (ms) => waits.push(ms),
    });
    await sender.send(lines(count), (outcome) => outcomes.push(outcome));
    return { outcomes: outcomes.sort((a, b) => a.line - b.line), waits, requests: () => requests };
  }

  async function* lines(count: number): AsyncGenerator<EventLine> {
    for (let line = 1; line <= count; line += 1) yield { line, body: `{"n": ${line}}` };
  }

  it('sends every event once, as written and with the key', async () => {
    const seen: unknown[] = [];
    const { outcomes } = await sendTo((_, body, request) => {
      seen.push([request.method, request.url, request.headers['x-api-key'], request.headers['content-type'], body]);
      return OK;
    }, 20);
    expect(outcomes).toEqual(Array.from({ length: 20 }, (_, at) => ({ line: at + 1, accepted: true })));
    const expected = Array.from({ length: 20 }, (_, at) => [
      'POST',
      '/v1/events/ingest',
      'the-key',
      'application/json',
      `{"n": ${at + 1}}`,
    ]);
    expect(seen).toHaveLength(20);
    expect(seen).toEqual(expect.arrayContaining(expected));
  });

  it('waits as long as it is told and sends the same event again', async () => {
    const bodies: string[] = [];
    const { outcomes, waits } = await sendTo((n, body) => {
      bodies.push(body);
      return n === 1 ? { status: 429, detail: 'Rate limit exceeded', retryAfter: '7' } : OK;
    }, 1);
    expect(outcomes).toEqual([{ line: 1, accepted: true }]);
    expect(waits).toEqual([7000]);
    expect(bodies).toEqual(['{"n": 1}', '{"n": 1}']);
  });

  it('loses no event when all requests under way are told to wait', async () => {
    const { outcomes } = await sendTo((n) => (n % 5 === 0 ? OK : { status: 503, retryAfter: '1' }), 40);
    expect(outcomes.every(({ accepted }) => accepted)).toBe(true);
    expect(outcomes.map(({ line }) => line)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  });

  it('gives up when waiting does not help', async () => {
    const { outcomes, waits } = await sendTo(() => ({ status: 503, detail: 'Service overloaded', retryAfter: '1' }), 2);
    expect(outcomes).toEqual([1, 2].map((line) => ({ line, accepted: false, reason: '503 Service overloaded' })));
    expect(waits).toHaveLength(5);
  });

  it.each([undefined, '3600'])('does not wait for a daily limit (Retry-After %s)', async (retryAfter) => {
    const { outcomes, waits } = await sendTo(() => ({ status: 429, detail: 'Daily limit exceeded', retryAfter }), 1);
    expect(outcomes).toEqual([{ line: 1, accepted: false, reason: '429 Daily limit exceeded' }]);
    expect(waits).toEqual([]);
  });

  it('reports a refused event with the words of the answer and goes on', async () => {
    const issue = { type: 'missing', loc: ['body', 'source'], msg: 'Field required', input: {} };
    const { outcomes } = await sendTo((_, body) => (body === '{"n": 2}' ? { status: 422, detail: [issue] } : OK), 3);
    expect(outcomes).toEqual([
      { line: 1, accepted: true },
      { line: 2, accepted: false, reason: '422 body.source: Field required' },
      { line: 3, accepted: true },
    ]);
  });

  it('does not repeat an event whose answer was lost', async () => {
    const { outcomes, requests } = await sendTo((n) => (n === 1 ? 'hang up' : OK), 1);
    expect(outcomes).toEqual([expect.objectContaining({ line: 1, accepted: false })]);
    expect(requests()).toBe(1);
  });

  it('stops when the service is gone', async () => {
    const gone = sendTo(() => {
      server?.close();
      return 'hang up';
    }, 500);
    await expect(gone).rejects.toThrow('no longer answers');
  });
});
