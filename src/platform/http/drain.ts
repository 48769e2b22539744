import type { Server, ServerResponse } from 'node:http';

/** How often idle keep-alive connections are let go while requests in flight finish. */
const SWEEP_MS = 50;

/**
 * Stops taking connections and waits until every request in flight is answered. Answers given meanwhile say
 * `Connection: close`, so that clients with keep-alive neither lose a request nor hold the server open. A request
 * that is not whole or not answered within the limit is cut off: one slow sender may not hold the shutdown up.
 */
export async function drainHttp(server: Server, limitMs = 10_000): Promise<void> {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
  await new Promise<void>((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}
