import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { cleanups } from '../embedded-database.js';
import { close, listen } from '../http-server.mjs';

/** A request of a sender. */
export interface ReceivedBatch {
  readonly key: string;
  readonly apiKey: string;
  readonly lines: readonly string[];
  /** The status of the answer. */
  status: number;
}

export type Answering = (batch: ReceivedBatch, response: ServerResponse, requests: number) => unknown;

/** Starts a server in place of the service. It keeps the batches that it receives, and ends with the test. */
export async function receiveBatches(
  answer: Answering,
): Promise<{ readonly url: string; readonly requests: ReceivedBatch[] }> {
  const requests: ReceivedBatch[] = [];
  const server = createServer((request, response) => {
    void text(request)
      .then(async (body) => {
        const { 'idempotency-key': key, 'x-api-key': apiKey } = request.headers;
        const batch = { key: String(key), apiKey: String(apiKey), lines: body.split('\n'), status: 0 };
        requests.push(batch);
        await answer(batch, response, requests.length);
        batch.status = response.statusCode;
      })
      .catch(() => response.destroy());
  });
  const url = await listen(server);
  cleanups.push(() => close(server));
  return { url, requests };
}

/** Answers as the service does when it has stored all events of a batch. */
export function acceptAll({ lines }: ReceivedBatch, response: ServerResponse): void {
  const results = lines.map((_, index) => ({ line: index + 1, accepted: true }));
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ results }));
}

export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Sends a batch to the service. */
export async function forward(url: string, { key, apiKey, lines }: ReceivedBatch): Promise<ForwardedAnswer> {
  const response = await fetch(`${url}/v1/events/ingest`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': key, 'X-API-Key': apiKey },
    body: lines.join('\n'),
  });
  const retryAfter = response.headers.get('Retry-After');
  return {
    status: response.status,
    headers: { 'Content-Type': 'application/json', ...(retryAfter !== null && { 'Retry-After': retryAfter }) },
    body: await response.text(),
  };
}

/** Gives the answer of the service. */
export async function answerOf(url: string, batch: ReceivedBatch, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await forward(url, batch);
  response.writeHead(status, headers).end(body);
}
