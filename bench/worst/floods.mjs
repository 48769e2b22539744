// Floods that need no account: requests whose answers are not awaited, many connections, and bodies that never end.
import { once, setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { times } from './attacker.mjs';

const nothing = () => ({});
/** Time after which a connection whose answers are not read is closed. */
const UNREAD_MS = 300;
const KIB = 1024;
const LONG_BODY = 1_001_000;
/** The largest body that a route without credentials accepts. */
const PUBLIC_BODY = 16 * KIB;
const LINES_BODY = 4_000_000;
const FILLING = Buffer.alloc(LINES_BODY, 'x');

const head = (line, headers = {}) =>
  [line, 'Host: bench', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');

/** Opens a connection. Returns undefined if the service does not accept it. */
async function opened({ service, deadline }) {
  const { hostname, port } = new URL(service.url);
  setMaxListeners(0, deadline);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const isOpen = await once(socket, 'connect', { signal: deadline }).then(
    () => true,
    () => false,
  );
  if (isOpen) return socket;
  socket.destroy();
  return undefined;
}

/** Writes many requests at once, reads no answer and closes the connection. */
async function pipelined(attacker, connections, count, path) {
  await times(connections, async () => {
    const socket = await opened(attacker);
    if (socket === undefined) return;
    socket.pause();
    socket.write(head(`GET ${path} HTTP/1.1`).repeat(count));
    await pause(UNREAD_MS);
    socket.destroy();
  });
}

/** Sends heads that the parser refuses at their end, after tens of thousands of blanks. */
async function refusedHeads(attacker, connections) {
  const text = `GET / HTTP/1.1\r\nHost: test\r\nX-Request-ID: a${' '.repeat(60_000)}\u0001`;
  await times(connections, async () => {
    const socket = await opened(attacker);
    if (socket === undefined) return;
    socket.write(text);
    await pause(UNREAD_MS);
    socket.destroy();
  });
}

/** Waits for an answer, or until the time is over. */
async function answered(attacker, socket, ms, { method, path }) {
  const startedAt = performance.now();
  const signal = AbortSignal.any([attacker.deadline, AbortSignal.timeout(ms)]);
  const [chunk] = await once(socket, 'data', { signal }).catch(() => []);
  const text = chunk?.toString('utf8') ?? '';
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  const [, body = ''] = text.split('\r\n\r\n', 2);
  attacker.answers.push({
    method,
    path,
    status,
    bytes: text.length,
    ms: performance.now() - startedAt,
    text: body.slice(0, 300),
  });
}

async function oneEach(attacker, connections, ms, path) {
  await times(connections, async () => {
    const socket = await opened(attacker);
    if (socket === undefined) return;
    socket.write(head(`GET ${path} HTTP/1.1`));
    await answered(attacker, socket, ms, { method: 'GET', path });
    socket.destroy();
  });
}

/** Sends all except the last bytes of a body, and keeps the connection open. */
async function unfinished(attacker, connections, ms, { path, length, headers }) {
  await times(connections, async () => {
    const socket = await opened(attacker);
    if (socket === undefined) return;
    socket.write(head(`POST ${path} HTTP/1.1`, { ...headers, 'Content-Length': length }));
    socket.write(FILLING.subarray(0, length - 10));
    const startedAt = performance.now();
    await answered(attacker, socket, ms, { method: 'POST', path });
    await pause(Math.max(0, ms - (performance.now() - startedAt)));
    socket.destroy();
  });
  // The status 0 is expected, because the body is incomplete.
  attacker.answers = attacker.answers.filter(({ status }) => status !== 0);
}

const CONFIRMATION = { path: '/v1/auth/verify-email', headers: { 'Content-Type': 'application/json' } };

export const FLOODS = [
  {
    name: 'requests that are not waited for',
    prepare: nothing,
    attacks: {
      'refused heads': (attacker) => refusedHeads(attacker, 20),
      'metrics, one connection': (attacker, size) => pipelined(attacker, 1, size.pipelined, '/metrics'),
      'metrics, four connections': (attacker, size) => pipelined(attacker, 4, size.pipelined, '/metrics'),
      'health, four connections': (attacker, size) => pipelined(attacker, 4, size.pipelined, '/health'),
      'unknown path, four connections': (attacker, size) => pipelined(attacker, 4, size.pipelined, '/nope'),
    },
  },
  {
    name: 'a connection for each request',
    prepare: nothing,
    attacks: {
      health: (attacker, size) => oneEach(attacker, size.connections, size.answerMs, '/health'),
      metrics: async (attacker, size) => {
        await oneEach(attacker, size.connections, size.answerMs, '/metrics');
        // The API document, with which the tests compare answers, does not contain this route.
        attacker.answers = attacker.answers.filter(({ path, status }) => path !== '/metrics' || status >= 500);
      },
    },
  },
  {
    name: 'unfinished bodies',
    prepare: nothing,
    attacks: {
      'without credentials': (attacker, size) =>
        unfinished(attacker, size.bodies, size.heldMs, { ...CONFIRMATION, length: LONG_BODY }),
      'without credentials, as long as they may be': (attacker, size) =>
        unfinished(attacker, size.bodies, size.heldMs, { ...CONFIRMATION, length: PUBLIC_BODY }),
      'NDJSON of one key': (attacker, size) =>
        unfinished(attacker, Math.ceil((size.bodies * 2) / 3), size.heldMs, {
          path: '/v1/events/ingest',
          length: LINES_BODY,
          headers: { 'Content-Type': 'application/x-ndjson', 'X-API-Key': attacker.key },
        }),
    },
  },
];
