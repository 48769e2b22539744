import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isEventStream } from './event-stream.js';

/** How long an idle keep-alive connection stays open, because its client may have just sent a request. */
const LAST_REQUEST_MS = 500;
/** How often idle connections are closed after that time. */
const SWEEP_MS = 50;

/**
 * Prepares a server for a graceful shutdown. Call this before the server listens. The returned function stops accepting
 * connections and waits until every request in flight has been answered completely. Answers during this time carry
 * `Connection: close`, so that keep-alive clients neither lose a request nor keep the server running. A request that is
 * not complete or not answered within the limit is cut off, so that a slow sender cannot delay the shutdown. Event
 * streams are ended, because they never end by themselves.
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
    // `close()` of an HTTP server would close idle connections at once, and requests that are on their way would be
    // lost.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    await Promise.race([closed, delay(LAST_REQUEST_MS)]);
    const sweep = setInterval(() => {
      endStreams();
      // Node counts a connection as idle as soon as its answer is complete, even when much of it is still to be sent.
      if (open.list().every((response) => !response.writableEnded)) server.closeIdleConnections();
    }, SWEEP_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
  };
}

/**
 * A set of open responses. A long-lived `Set` allocates its tables in the old generation of the heap, and each table
 * that it outgrows keeps its requests alive until the next full garbage collection. This class reuses its entries
 * instead.
 */
class OpenResponses {
  private readonly places: (ServerResponse | undefined)[] = [];
  private readonly free: number[] = [];

  /** @returns the index of the response, for {@link remove} */
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
