import type { ServerResponse } from 'node:http';
import type { ForwardedAnswer } from './batch-receiver.js';

/** What becomes of a request between a sender and the service. `store` passes it on. */
type Fault = (response: ServerResponse, store: () => Promise<ForwardedAnswer>) => unknown;

/** Every fault leaves the sender without a decision about its batch. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'the request is lost': (response) => response.destroy(),
  'the answer is lost': async (response, store) => {
    await store();
    response.destroy();
  },
  'half of the answer arrives': async (response, store) => {
    const { body } = await store();
    response.writeHead(200, { 'Content-Length': String(Buffer.byteLength(body)) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  'half of the answer arrives and ends well': async (response, store) => {
    const { body } = await store();
    response.end(body.slice(0, body.length / 2));
  },
  'the connection ends while the service stores the batch': (response, store) => {
    void store().catch(() => undefined);
    response.destroy();
  },
  'the answer takes too long': async (response, store) => {
    await store();
    await untilClosed(response);
  },
  'the answer arrives byte by byte, and takes too long': async (response, store) => {
    await store();
    const timer = setInterval(() => response.write(' '), 20);
    await untilClosed(response);
    clearInterval(timer);
  },
  'a proxy answers 502 to a stored batch': async (response, store) => {
    await store();
    response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>502</h1>');
  },
  'the answer is 408': (response) => response.writeHead(408).end(),
  'the answer is 409': (response) => response.writeHead(409).end('{"detail":"Request in progress"}'),
  'the answer is 429 with Retry-After': (response) => response.writeHead(429, { 'Retry-After': '60' }).end(),
  'the answer is 500 without a body': (response) => response.writeHead(500).end(),
  'the answer is 503 with Retry-After': (response) =>
    response.writeHead(503, { 'Retry-After': '60' }).end('{"detail":"Service overloaded"}'),
  'a proxy answers 200 with a page': (response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>'),
  'a proxy answers 200 with other JSON': (response) => response.end('{"ok":true}'),
  'the answer is null': (response) => response.end('null'),
  'the answer is 204': (response) => response.writeHead(204).end(),
  'the answer has fewer results than events': (response) => response.end('{"results":[{"accepted":true}]}'),
  'the answer has results without a decision': (response) => response.end('{"results":[null,7,{"accepted":"yes"},{}]}'),
};

function untilClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve));
}
