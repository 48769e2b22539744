// The sending half of load.mjs, in a separate process. It sends HTTP/1.1 over plain sockets, one request at a time on
// each connection, and parses only the status and the Content-Length of an answer.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { appendFileSync } from 'node:fs';

const HEAD_END = Buffer.from('\r\n\r\n');
/** This mark in a header value or a body is replaced by a text that is unique in the run, always of the same length. */
const UNIQUE = '{unique-in-run}';

process.on('message', (order) => {
  measure(order).then(
    (result) => process.send(result, () => process.disconnect()),
    (error) => process.send({ error: String(error?.stack ?? error) }, () => process.disconnect()),
  );
});

async function measure({ host, port, requests, connections, seconds, count, expected, collect }) {
  const templates = requests.map((one) => templateOf(one, host));
  const run = randomBytes(4).toString('hex').slice(0, 7);
  const latencies = [];
  const statuses = {};
  const collected = [];
  const mark = collect === undefined ? undefined : Buffer.from(`"${collect.field}":"`);
  let failed = 0;
  let sent = 0;
  let firstFailure;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const isOver = () => (count === undefined ? performance.now() >= endsAt : sent >= count);

  const next = () => {
    const template = templates[sent % templates.length];
    sent += 1;
    return typeof template === 'string'
      ? template.replaceAll(UNIQUE, `${run}${sent.toString(36).padStart(8, '0')}`)
      : template;
  };

  const writeOut = () => {
    if (collected.length > 0) appendFileSync(collect.file, `${collected.splice(0).join('\n')}\n`);
  };

  const sender = () =>
    new Promise((resolve, reject) => {
      let socket;
      let pending;
      let sentAt = 0;
      const send = () => {
        if (isOver()) {
          socket.destroy();
          resolve();
          return;
        }
        sentAt = performance.now();
        socket.write(next());
      };
      const onData = (chunk) => {
        const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
        const answer = answerIn(bytes);
        if (answer === null) {
          pending = bytes;
          return;
        }
        pending = undefined;
        latencies.push(performance.now() - sentAt);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        if (!expected.includes(answer.status) && !expected.includes(Math.floor(answer.status / 100))) {
          failed += 1;
          firstFailure ??= bytes.toString('utf8').slice(0, 600);
        }
        if (mark !== undefined && answer.status === 200) collectFrom(bytes, mark, collected);
        if (collected.length >= 10_000) writeOut();
        if (answer.close) {
          socket.destroy();
          open();
        } else send();
      };
      const open = () => {
        socket = connect({ host, port, noDelay: true }, send);
        socket.on('data', onData);
        socket.on('error', reject);
      };
      open();
    });

  await Promise.all(Array.from({ length: connections }, sender));
  const elapsed = (performance.now() - startedAt) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2));
  writeOut();
  return {
    requests: latencies.length,
    perSecond: Math.round(latencies.length / elapsed),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    failed,
    statuses,
    firstFailure,
  };
}

/**
 * Returns a Buffer if all requests have the same bytes. Otherwise returns a text whose marks are replaced each time.
 */
function templateOf({ method, path, headers = {}, body }, host) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const text = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}${length}\r\n${body ?? ''}`;
  return text.includes(UNIQUE) ? text : Buffer.from(text);
}

/** Returns the status of the answer in `bytes`, and whether the server closes. Returns null if it is incomplete. */
function answerIn(bytes) {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = bytes.latin1Slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const hasBody = status !== 204 && status !== 304;
  if (hasBody && length === undefined) throw new Error(`an answer without Content-Length:\n${head}`);
  const end = headEnd + 4 + (hasBody ? Number(length) : 0);
  if (bytes.length < end) return null;
  if (bytes.length > end) throw new Error(`more bytes than one answer:\n${bytes.toString('latin1')}`);
  return { status, close: /\r\nconnection: *close/i.test(head) };
}

function collectFrom(bytes, mark, found) {
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at)) {
    const start = at + mark.length;
    at = bytes.indexOf('"', start);
    found.push(bytes.latin1Slice(start, at));
  }
}
