import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiClient } from './api-client.js';
import { BatchSender, type EventLine, type LineOutcome } from './sender.js';

interface Reply {
  readonly status: number;
  readonly detail?: unknown;
  readonly retryAfter?: string;
  /** The reasons of refused lines, by the number of the line. */
  readonly refused?: Readonly<Record<number, unknown>>;
}

const OK: Reply = { status: 200 };

describe('BatchSender', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Starts a service that answers each ingestion request by `reply`, and sends events to it. @returns the outcomes */
  async function sendTo(
    reply: (n: number, body: string, request: IncomingMessage) => Reply | 'hang up',
    count: number,
  ) {
    let requests = 0;
    server = createServer((request, response) => {
      if (request.url === '/health') return response.end('{"ready":true}');
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = reply((requests += 1), Buffer.concat(chunks).toString(), request);
        if (answer === 'hang up') return request.socket.destroy();
        const retry = answer.retryAfter === undefined ? {} : { 'Retry-After': answer.retryAfter };
        const lines = Buffer.concat(chunks).toString().split('\n');
        const results = lines.map((_, at) => {
          const detail = answer.refused?.[at + 1];
          return { line: at + 1, ...(detail === undefined ? { accepted: true } : { accepted: false, detail }) };
        });
        const hasResults = answer.status === 200 || answer.refused !== undefined;
        response
          .writeHead(answer.status, retry)
          .end(JSON.stringify({ detail: answer.detail, ...(hasResults && { results }) }));
      });
      return undefined;
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const outcomes: LineOutcome[] = [];
    const waits: number[] = [];
    const sender = new BatchSender({
      client: new ApiClient(`http://127.0.0.1:${port}`),
      apiKey: 'the-key',
      concurrency: 2,
      wait: async (ms) => waits.push(ms),
    });
    await sender.send(lines(count), (outcome) => outcomes.push(outcome));
    server.close();
    return { outcomes: outcomes.sort((a, b) => a.line - b.line), waits, requests: () => requests };
  }

  async function* lines(count: number): AsyncGenerator<EventLine> {
    for (let line = 1; line <= count; line += 1) yield { line, body: `{"n": ${line}}` };
  }

  const accepted = (count: number): LineOutcome[] =>
    Array.from({ length: count }, (_, at) => ({ line: at + 1, accepted: true }));

  it('sends every event once, as written, in batches with the key and a key of their own', async () => {
    const [sent, keys]: [string[], unknown[]] = [[], []];
    const { outcomes, requests } = await sendTo((_, body, { method, url, headers }) => {
      expect([method, url]).toEqual(['POST', '/v1/events/ingest']);
      expect(headers).toMatchObject({ 'x-api-key': 'the-key', 'content-type': 'application/x-ndjson' });
      keys.push(headers['idempotency-key']);
      sent.push(...body.split('\n'));
      return OK;
    }, 1_200);
    expect(outcomes).toEqual(accepted(1_200));
    expect(requests()).toBe(3);
    expect(new Set(keys).size).toBe(3);
    expect(sent.sort()).toEqual(Array.from({ length: 1_200 }, (_, at) => `{"n": ${at + 1}}`).sort());
  });

  it('waits as long as it is told and sends the same batch again', async () => {
    const seen: unknown[] = [];
    const { outcomes, waits } = await sendTo((n, body, { headers }) => {
      seen.push([body, headers['idempotency-key']]);
      return n === 1 ? { status: 429, detail: 'Rate limit exceeded', retryAfter: '7' } : OK;
    }, 2);
    expect(outcomes).toEqual(accepted(2));
    expect(waits).toEqual([7000]);
    expect(seen[0]).toEqual(seen[1]);
  });

  it('loses no event when all requests under way are told to wait', async () => {
    const { outcomes } = await sendTo((n) => (n % 5 === 0 ? OK : { status: 503, retryAfter: '1' }), 4_000);
    expect(outcomes).toEqual(accepted(4_000));
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

  it('reports refused lines with the words of the answer', async () => {
    const issue = { type: 'missing', loc: ['body', 'source'], msg: 'Field required', input: {} };
    const refused = { 2: [issue], 4: 'Monthly quota exceeded (events)' };
    const { outcomes } = await sendTo(() => ({ status: 200, refused }), 4);
    expect(outcomes).toEqual([
      { line: 1, accepted: true },
      { line: 2, accepted: false, reason: '422 body.source: Field required' },
      { line: 3, accepted: true },
      { line: 4, accepted: false, reason: 'Monthly quota exceeded (events)' },
    ]);
  });

  it('reports the reason of each line when the whole batch is refused', async () => {
    const { outcomes } = await sendTo(
      () => ({ status: 403, detail: 'All were refused', refused: { 1: 'Monthly quota exceeded (events)' } }),
      1,
    );
    expect(outcomes).toEqual([{ line: 1, accepted: false, reason: 'Monthly quota exceeded (events)' }]);
  });

  it('asks again with the same key when an answer was lost, and in the end says so', async () => {
    const keys = new Set<unknown>();
    const reply = (n: number, _: string, { headers }: IncomingMessage): Reply | 'hang up' => {
      keys.add(headers['idempotency-key']);
      return n < 3
        ? 'hang up'
        : n === 3
          ? { status: 409, detail: 'Idempotency-Key request is already in progress' }
          : OK;
    };
    expect((await sendTo(reply, 1)).outcomes).toEqual(accepted(1));
    expect(keys.size).toBe(1);
    const never = await sendTo(() => 'hang up', 1);
    expect(never.outcomes).toEqual([expect.objectContaining({ line: 1, accepted: false })]);
    expect(never.requests()).toBe(4);
  });

  it('stops when the service is gone', async () => {
    const gone = sendTo(() => {
      server?.close();
      return 'hang up';
    }, 500);
    await expect(gone).rejects.toThrow('no longer answers');
  });
});
