import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from './eventually.js';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly body: string;
  /** The time of arrival on the clock of `performance.now()`. */
  readonly at: number;
}

/** The answer to a request; a number is a status without a body. */
export type Reaction = number | ((response: ServerResponse, received: Received, socket: Socket) => void);

export interface Receiver {
  readonly url: string;
  /** The received requests, the oldest first. */
  readonly received: Received[];
  /** Returns the number of connections so far, with or without a request. */
  readonly connections: () => number;
  /** Sets the reaction to every later request, or to those of one path. */
  answer(reaction: Reaction, path?: string): void;
  /** Waits until this many requests have arrived. */
  requests(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** Starts a real receiver of webhooks on a free port of 127.0.0.1. */
export async function startReceiver(reaction: Reaction = 200): Promise<Receiver> {
  const received: Received[] = [];
  const reactions = new Map<string, Reaction>();
  let connections = 0;
  let general = reaction;
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url: path = '', headers, rawHeaders } = request;
      const arrival = { method, path, headers, rawHeaders, body, at: performance.now() };
      received.push(arrival);
      const react = reactions.get(path) ?? general;
      if (typeof react === 'number') response.writeHead(react).end();
      else react(response, arrival, request.socket);
    });
  };
  const server = createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    answer: (next, path) => {
      if (path === undefined) general = next;
      else reactions.set(path, next);
    },
    requests: async (count) => {
      await eventually(
        () => received.length,
        (came) => came >= count,
        (came) => `only ${came} of ${count} requests came`,
      );
      return received;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
