import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { drainableHttp } from './drain.js';

describe('draining', () => {
  it('ends event streams and lets other answers finish', async () => {
    let finish: () => void = () => undefined;
    const server = createServer((request, response) => {
      if (request.url === '/stream') {
        response.setHeader('Content-Type', 'text/event-stream');
        response.write('data: {}\n\n');
        return;
      }
      finish = () => response.end('done');
    });
    const drain = drainableHttp(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (path: string): ReturnType<typeof get> => get(`http://127.0.0.1:${port}${path}`, { agent: false });
    const textOf = async (response: IncomingMessage): Promise<string> => {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      return text;
    };

    const [stream] = (await once(ask('/stream'), 'response')) as [IncomingMessage];
    const slow = once(ask('/slow'), 'response') as Promise<[IncomingMessage]>;
    await once(server, 'request');
    const drained = drain();
    expect(await textOf(stream)).toBe('data: {}\n\n');
    finish();
    expect(await textOf((await slow)[0])).toBe('done');
    await drained;
  });
});
