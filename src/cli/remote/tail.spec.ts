import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { tail } from './tail.js';

const PROJECT = '0199f3a1-0000-7000-8000-000000000000';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let close: () => void = () => undefined;

afterEach(() => close());

/** Serves each request by the next handler. @returns the address */
async function serve(...handlers: readonly Handler[]): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => handlers[count++]?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const message = (id: number): string =>
  `id: ${id}\ndata: ${JSON.stringify({ type: 'event', event: { id, timestamp: '2026-01-01', message: 'a\u001b[2J' } })}\n\n`;

/** Follows until the service refuses, and returns the lines that were shown. */
async function shown(url: string, options: object = {}): Promise<string[]> {
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  await expect(tail({ url, token: 'x.y.z', project: PROJECT, ...options }, {})).rejects.toThrow(
    'Project not found (status 404)',
  );
  const lines = written.mock.calls.map(([text]) => String(text));
  written.mockRestore();
  told.mockRestore();
  return lines;
}

const notFound: Handler = (_, response) => {
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Project not found"}');
};

describe('A tail', () => {
  it('connects again behind the last message, shows none twice, and ends when it is refused', async () => {
    const asked: unknown[] = [];
    const url = await serve(
      (_, response) => void response.write(message(1) + message(2), () => response.destroy()),
      (_, response) => void response.writeHead(503).end(),
      ({ headers }, response) => {
        asked.push(headers['last-event-id'], headers.authorization);
        const text = `: comment\n\ndata: {"type":"heartbeat"}\n\n${message(2)}${message(3)}`;
        response.write(text.slice(0, 70), () => response.end(text.slice(70)));
      },
      notFound,
    );
    expect(await shown(url)).toEqual(Array(3).fill('2026-01-01  -  -  -  a [2J\n'));
    expect(asked).toEqual(['2', 'Bearer x.y.z']);
  });

  it('leaves out stored events with --new, by the time of the service', async () => {
    const url = await serve((_, response) => {
      response.setHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT');
      response.end(message(1) + message(2).replace('2026-01-01', '2026-01-02'));
    }, notFound);
    expect(await shown(url, { new: true, json: true })).toEqual([expect.stringContaining('"2026-01-02"')]);
  });
});
