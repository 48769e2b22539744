// Measures the processor time of one span without a service around it, and prints it as one line of JSON. The bench
// `tracing` starts it as a process of its own.
import { setTimeout as pause } from 'node:timers/promises';
import {
  isTracing,
  recordSpan,
  startSpan,
  startTracing,
  stopTracing,
  traceparentFrom,
} from '../dist/src/platform/telemetry/index.js';

const SPANS = 100_000;
const CALLS_WHILE_OFF = 5_000_000;
const ROUNDS = 5;
/** The size of a batch of the export. After each, the receiver gets time to take it. */
const BATCH = 512;
const PAUSE_MS = 4;

const ANSWER = {
  'http.request.method': 'GET',
  'url.path': '/v1/organizations',
  'http.route': '/v1/organizations',
  'http.response.status_code': 200,
};
const IDS = { 'oes.request_id': '0192d7a0-0000-7000-8000-000000000001' };
const STATEMENT = {
  'db.system.name': 'postgresql',
  'db.query.text': 'SELECT o.id, o.name FROM organizations o '.repeat(8),
};

/** Returns the least of some rounds, since other processes can only add time. The first rounds warm up. */
async function least(round) {
  const results = [];
  for (let done = 0; done < ROUNDS; done += 1) results.push(await round());
  return Math.min(...results);
}

/** @returns the processor time of one span in µs, with its sending and with the garbage that it leaves */
async function microsOfSpan(span) {
  const before = process.cpuUsage();
  for (let done = 1; done <= SPANS; done += 1) {
    span();
    if (done % BATCH === 0) await pause(PAUSE_MS);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / SPANS;
}

/** @returns what a request does for tracing while it is off, in ns */
function nanosWhileOff() {
  let contexts = 0;
  const before = process.hrtime.bigint();
  for (let done = 0; done < CALLS_WHILE_OFF; done += 1) {
    const parent = traceparentFrom(undefined);
    const span = startSpan({ kind: 'server', name: 'GET', parent });
    if (isTracing() || (span?.traceparent ?? parent) !== undefined) contexts += 1;
  }
  if (contexts > 0) throw new Error('tracing is on');
  return Number(process.hrtime.bigint() - before) / CALLS_WHILE_OFF;
}

const off = await least(nanosWhileOff);
await startTracing({
  sampling: { ratio: 1, followsParent: true },
  batches: { maxQueued: SPANS, batchSize: BATCH, delayMs: 5_000 },
});
const parent = startSpan({ kind: 'server', name: 'GET' }).traceparent;
const request = await least(() =>
  microsOfSpan(() => startSpan({ kind: 'server', name: 'GET' }).end({ name: 'GET /v1', attributes: [ANSWER, IDS] })),
);
const statement = await least(() =>
  microsOfSpan(() => recordSpan({ kind: 'client', name: 'SELECT', parent, seconds: 0.001, attributes: STATEMENT })),
);
await stopTracing();
process.stdout.write(`${JSON.stringify({ off, request, statement })}\n`);
