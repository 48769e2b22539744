import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DroppedBytes, type DropLimits } from './dropped-bytes.js';
import { StreamedBody } from './streamed-body.js';

const MIB = 1024 * 1024;
const REFUSED = 'POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: ';

describe('a refused body', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  /** Starts a server that answers every request with its path as soon as the head has arrived. */
  async function serverWith(limits?: DropLimits): Promise<number> {
    const dropped = new DroppedBytes(limits);
    // Node closes a connection that sends nothing for this long after an answer.
    const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
      dropped.watch(request, response);
      response.end(request.url);
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  function open(port: number): { socket: Socket; text: () => string; until: (part: string) => Promise<void> } {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    return {
      socket,
      text: () => text,
      until: async (part) => {
        while (!text.includes(part)) await once(socket, 'data');
      },
    };
  }

  it('may be sent to its end before the answer is read, and the connection takes another request', async () => {
    const client = open(await serverWith());
    client.socket.pause();
    client.socket.write(`${REFUSED}${8 * MIB}\r\n\r\n`);
    await new Promise((sent) => client.socket.write(Buffer.alloc(8 * MIB), sent));
    client.socket.resume().write('GET /next HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.until('/next');
    expect(client.text()).toContain('/refused');
  });

  it.each([60 * 1024, 8 * MIB])(
    'may be sent to its end, with %d bytes, on a connection that ends with the answer',
    async (bytes) => {
      const { socket, text } = open(await serverWith());
      socket.pause();
      socket.write(`POST /refused HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
      await new Promise((sent) => socket.write(Buffer.alloc(bytes), sent));
      socket.resume();
      await once(socket, 'close');
      expect(text()).toContain('/refused');
      expect(text()).toContain('Connection: close');
    },
  );

  it.each([60 * 1024, 8 * MIB])(
    'is not kept, with %d bytes, when its reader stopped early, and another request is answered',
    async (bytes) => {
      const dropped = new DroppedBytes();
      const refused: IncomingMessage[] = [];
      const server = createServer((request, response) => {
        dropped.watch(request, response);
        const readOnce = async (): Promise<void> => {
          const pieces = new StreamedBody(request, response).pieces(bytes);
          await pieces.next();
          await pieces.return();
          refused.push(request);
        };
        void (request.method === 'POST' ? readOnce() : Promise.resolve()).then(() => response.end(request.url));
      });
      servers.push(server.listen(0, '127.0.0.1'));
      await once(server, 'listening');
      const client = open((server.address() as AddressInfo).port);
      client.socket.write(`${REFUSED}${bytes}\r\n\r\n`);
      client.socket.write(Buffer.alloc(10 * 1024));
      await client.until('/refused');
      client.socket.write(Buffer.alloc(bytes - 10 * 1024));
      client.socket.write('GET /next HTTP/1.1\r\nHost: a\r\n\r\n');
      await client.until('/next');
      expect(refused[0]?.readableLength).toBe(0);
    },
  );

  it('is cut off when it takes too long', async () => {
    const client = open(await serverWith({ bytesPerMs: 16 * 1024, lingerMs: 50 }));
    client.socket.write(`${REFUSED}${8 * MIB}\r\n\r\nx`);
    await once(client.socket, 'close');
    expect(client.text()).toContain('/refused');
  });

  it('is read so slowly that many of them leave time for others', async () => {
    const port = await serverWith({ bytesPerMs: 100, lingerMs: 60_000 });
    const senders = Array.from({ length: 20 }, () => open(port));
    for (const { socket } of senders) socket.write(`${REFUSED}${64 * MIB}\r\n\r\n`);
    await Promise.all(senders.map(({ until }) => until('/refused')));
    for (const { socket } of senders) socket.write(Buffer.alloc(32 * MIB));
    const other = open(port);
    other.socket.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
    await other.until('/other');
    // Unread bytes stay with the senders, except for those in the system's buffers.
    const unsent = senders.reduce((sum, { socket }) => sum + socket.writableLength, 0);
    expect(unsent).toBeGreaterThan(20 * 16 * MIB);
  });
});
