import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly url: string;
  close(): void;
}

/** One of this number of requests is refused, so that the service has something to retry. */
const REFUSES_EACH = 7;

/** Starts a server on this machine that receives webhooks and accepts most of them. */
export async function startReceiver(): Promise<Receiver> {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1;
      response.writeHead(received % REFUSES_EACH === 0 ? 503 : 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
