import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isEventStream } from './event-stream.js';

/** How long an idle keep-alive connection may still bring the request its client has just sent. */
const LAST_REQUEST_MS = 500;
/** How often idle connections are let go after that. */
const SWEEP_MS = 50;

/**
 * Watches the requests of a server; to be called before it listens. The function it returns stops taking connections
 * and waits until every request in flight is answered to its last byte. Answers given meanwhile say `Connection: close`,
 * so that clients with keep-alive neither lose a request nor hold the server open. A request that is not whole or not
 * answered within the limit is cut off: one slow sender may not hold the shutdown up. Event streams, which never end by
 * themselves, are ended.
 */
export function drainableHttp(server: Server, limitMs = 10_000): () => Promise<void> {
  const open = new OpenResponses();
  let draining = false;
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) response.setHeader('Connection', 'close');
    const place = open.add(response);
    response.once('close', () => open.remove(place));
  });
  return async () => {
    draining = true;
    for (const response of open.list()) if (!response.headersSent) response.setHeader('Connection', 'close');
    const endStreams = (): void => {
      for (const response of open.list()) if (isEventStream(response)) response.end();
    };
    endStreams();
    // The close() of an HTTP server would cut idle connections at once, and with them requests on their way.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    await Promise.race([closed, delay(LAST_REQUEST_MS)]);
    const sweep = setInterval(() => {
      endStreams();
      // To Node a connection is idle as soon as its answer is complete, even when much of it is still to be sent.
      if (open.list().every((response) => !response.writableEnded)) server.closeIdleConnections();
    }, SWEEP_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
  };
}

/**
 * A set that comes and goes with each request without leaving tables behind: when a Set grows old, so is born each table
 * that it outgrows, and until the next full collection the dead ones keep alive all requests they list.
 */
class OpenResponses {
  private readonly places: (ServerResponse | undefined)[] = [];
  private readonly free: number[] = [];

  /** @returns its place, for {@link remove} */
  add(response: ServerResponse): number {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = response;
    return place;
  }

  remove(place: number): void {
    this.places[place] = undefined;
    this.free.push(place);
  }

  list(): ServerResponse[] {
    return this.places.filter((response) => response !== undefined);
  }
}
