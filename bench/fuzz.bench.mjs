// Sends random requests to all routes of the API document. A fault is a response that is not documented, a connection
// without a response, an id of another tenant in a response, or a service that ends. `BENCH_REQUESTS`, `BENCH_SEED`.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { operationOf, operations } from './fuzz/document.mjs';
import { faultsOf, shown } from './fuzz/check.mjs';
import { chances } from './fuzz/random.mjs';
import { requestBy } from './fuzz/requests.mjs';
import { Sender } from './fuzz/send.mjs';
import { INTERNAL_TOKEN, World } from './fuzz/world.mjs';
import { startService } from './service.mjs';

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 50_000);
const SEED = Number(process.env.BENCH_SEED ?? 1);
const CONNECTIONS = 8;
/** After so many requests, the bench checks whether the tenants still exist. */
const ROUND = 200;
const MOST_SHOWN = 40;

export const onlyByName = true;

export async function run() {
  const sink = createServer((request, response) => void request.resume().on('end', () => response.end('ok')));
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const service = await startService({
    env: {
      INTERNAL_JOB_TOKEN: INTERNAL_TOKEN,
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.1/32',
      CORS_ORIGINS: 'https://app.example.com',
      LOG_LEVEL: 'info',
    },
  });
  const sender = new Sender(service.url, CONNECTIONS);
  const world = new World(service, `http://127.0.0.1:${sink.address().port}/`);
  const counts = {};
  const faults = new Map();
  const succeeded = new Set();
  const note = (sentence, request) => {
    const path = request.target
      .split('?', 1)[0]
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')
      .slice(0, 100);
    const name = `${request.method} ${path}: ${sentence.slice(0, 200)}`;
    const known = faults.get(name) ?? { times: 0, example: shown(request) };
    known.times += 1;
    faults.set(name, known);
  };
  const send = async (request) => {
    const headers = { ...world.headersOf(request.actor), ...request.headers };
    const answers = await sender.send({ ...request, headers });
    for (const answer of answers) {
      const kinds = (counts[request.kind] ??= {});
      const status = answer.status ?? (answer.unsendable === undefined ? 'none' : 'unsendable');
      kinds[status] = (kinds[status] ?? 0) + 1;
      for (const sentence of faultsOf(request, answer)) note(sentence, request);
      if (answer.text === undefined) continue;
      const one = operationOf(request.method, request.target);
      if (one !== undefined && answer.status < 300) succeeded.add(`${one.method} ${one.path}`);
      for (const id of world.learn(request, answer.status, answer.text)) note(`shows ${id} of another tenant`, request);
    }
  };

  try {
    await world.make(send);
    for (let done = 0; done < REQUESTS; done += ROUND) {
      const numbers = Array.from({ length: Math.min(ROUND, REQUESTS - done) }, (_, at) => done + at);
      const next = async () => {
        for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
          await send(requestBy(chances(SEED, number), world));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, next));
      if (!(await world.stands())) await world.make(send);
    }
    await healthy(service.url).catch((error) =>
      note(error.message, { method: 'GET', target: '/health', kind: 'the end', headers: {} }),
    );
    console.table(counts);
    console.log(
      `seed ${SEED}; tenants created ${world.made} times; ${succeeded.size} of ${operations.length} operations succeeded at least once; ${faults.size} kinds of faults`,
    );
    for (const [name, { times, example }] of [...faults].slice(0, MOST_SHOWN))
      console.log(`  ${times} × ${name}\n      ${example}`);
    if (faults.size > 0) process.exitCode = 1;
    if (process.env.BENCH_VERBOSE !== undefined) {
      const never = operations.map(({ method, path }) => `${method} ${path}`).filter((name) => !succeeded.has(name));
      console.log(`operations that never succeeded: ${never.join(', ')}`);
    }
  } finally {
    sender.close();
    await service.stop();
    sink.close();
  }
}

/** Waits until the service is healthy after the last request. @throws if it is not within about ten seconds */
async function healthy(url) {
  let state;
  for (let tries = 0; tries < 50; tries += 1) {
    state = await fetch(`${url}/health`).then((answer) => answer.json());
    if (state.status === 'ok') return;
    await pause(200);
  }
  throw new Error(`the service is not healthy at the end: ${JSON.stringify(state)}`);
}
