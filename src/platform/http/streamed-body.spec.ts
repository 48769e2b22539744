import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { RequestTimeout, StreamedBody } from './streamed-body.js';

const LIMITS = { idleMs: 800, bytesPerSecond: 1e9 };

/** Sends a body, one piece after each piece that is read, and returns the outcome. */
async function sent(
  pieces: readonly string[],
  { dealWith = () => Promise.resolve(), isLast = true }: { dealWith?: () => Promise<unknown>; isLast?: boolean },
): Promise<string | Error> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = request({ port: (server.address() as AddressInfo).port, method: 'POST' });
  sender.on('error', () => undefined);
  sender.flushHeaders();
  const [incoming, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const waiting = [...pieces];
  const send = (): void => {
    const piece = waiting.shift();
    if (piece !== undefined) sender.write(piece);
    else if (isLast) sender.end();
  };
  send();
  let text = '';
  try {
    for await (const piece of new StreamedBody(incoming, response, LIMITS).pieces(1_000)) {
      text += piece.toString();
      await dealWith();
      send();
    }
    return text;
  } catch (error) {
    return error as Error;
  } finally {
    sender.destroy();
    server.closeAllConnections();
    server.close();
  }
}

describe('a streamed body', () => {
  it('is all that came', async () => {
    expect(await sent(['a', 'b', 'c'], {})).toBe('abc');
  });

  it('holds no time against its sender that others take', async () => {
    expect(await sent(['a', 'b', 'c'], { dealWith: () => pause(LIMITS.idleMs / 2) })).toBe('abc');
  });

  it('ends for a sender who sends no more', async () => {
    expect(await sent(['a'], { isLast: false })).toBeInstanceOf(RequestTimeout);
  });
});
