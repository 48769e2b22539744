// Compares the processor time of an event in the protocols of the intake with that of the same event as NDJSON, in
// batches of 500. Then sends OTLP without a pause, in such batches and in the largest requests, and measures how long
// another tenant (the bystander) waits. The service has a small heap.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDatabase } from './database.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { bodiesOf } from './intake/bodies.mjs';
import { cpuMicros } from './load.mjs';
import { facts, residentMegabytes, watchOthers } from './machine.mjs';
import { median } from './processes.mjs';
import { startService } from './service.mjs';
import { ROUNDS, SECONDS } from './settings.mjs';
import { emptyTables, liftQuotas, makeTenants } from './tenants.mjs';
import { Attacker } from './worst/attacker.mjs';

const HEAP_MB = 512;
const BATCH = 500;
/** What a collector sends by default. About 4.5 MB. */
const LARGEST_BATCH = 8_192;
const BYSTANDER = fileURLToPath(new URL('worst/bystander.mjs', import.meta.url));
/** Requests in flight. Enough for the service to be busy all the time. */
const SENDERS = 4;
/** Of each form, so that its code is compiled before it is measured. */
const WARM_UP_REQUESTS = 60;
const RETRY_MS = 100;
const GOALS = { 'otlp protobuf': 1.5, 'otlp json': 2, json: 1.2 };
const GOAL_MS = 250;

export async function run() {
  const server = await startDatabase();
  const database = await server.database('bench_intake', { migrated: true });
  const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'intake' });
  const service = await startService({
    databaseUrl: database.url,
    nodeArguments: [`--max-old-space-size=${HEAP_MB}`],
  });
  const others = watchOthers();
  try {
    const sender = new Sender(service, key);
    const results = await compare(sender, server, database);
    const bystander = await Bystander.start(service, database);
    const [beside, besideLargest] = [
      await bystander.during(sender, BATCH),
      await bystander.during(sender, LARGEST_BATCH),
    ];
    bystander.end();
    console.log(`\n${facts()}; heap of ${HEAP_MB} MB; others: ${others().toFixed(2)} cores`);
    const [plain] = Object.values(results);
    print(
      `Batches of ${BATCH}, medians of ${ROUNDS} rounds of ${SECONDS} s`,
      Object.entries(results).map(([name, { micros, perSecond, bytes }]) => ({
        form: name,
        'bytes an event': Math.round(bytes),
        'events/s': Math.round(perSecond),
        'CPU µs/event': micros.toFixed(1),
        '/ NDJSON': ratio(micros / plain.micros),
      })),
    );
    print('Goals', [
      ...Object.entries(GOALS).map(([name, most]) =>
        goal(`processor time of ${name} / NDJSON`, ratio(results[name].micros / plain.micros), { most }),
      ),
      goal(`p99 of the bystander during OTLP of ${BATCH} records, /health, ms`, beside.health, { most: GOAL_MS }),
      goal(`p99 of the bystander during OTLP of ${BATCH} records, a read, ms`, beside.read, { most: GOAL_MS }),
      goal('requests of the bystander that failed', beside.failed + besideLargest.failed, { most: 0 }),
    ]);
    const { requests, health, read, megabytes } = besideLargest;
    console.log(
      `During ${requests} requests of ${LARGEST_BATCH} records: /health ${health} ms, a read ${read} ms, at most ${megabytes} MB of memory`,
    );
  } finally {
    await service.stop();
    await server.stop();
  }
}

/** Sends batches over a few connections, each with another number. */
class Sender {
  number = 0;
  /** Answers with 503. */
  refused = 0;
  agent = new Agent({ keepAlive: true, maxSockets: SENDERS });

  constructor(service, key) {
    Object.assign(this, { service, key });
  }

  /** Sends for some seconds. @returns the number of requests. @throws Error for an answer other than 200 */
  async sendFor(seconds, body) {
    const endsAt = performance.now() + seconds * 1_000;
    let requests = 0;
    const one = async () => {
      while (performance.now() < endsAt) {
        await this.send(body);
        requests += 1;
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, one));
    return requests;
  }

  /** Resolves when the batch is stored. A refusal that says to try again is tried again. */
  async send(body) {
    this.number += 1;
    const bytes = Buffer.from(body.numbered(this.number));
    for (;;) {
      const { status, text } = await this.post(body, bytes);
      if (status === 200) return;
      if (status !== 503) throw new Error(`${body.path}: ${status} ${text}`);
      this.refused += 1;
      await pause(RETRY_MS);
    }
  }

  post({ path, type }, bytes) {
    const headers = { 'Content-Type': type, 'Content-Length': bytes.length, 'X-API-Key': this.key };
    return new Promise((resolve, reject) => {
      const sent = request(this.service.url + path, { method: 'POST', agent: this.agent, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('latin1') }),
        );
      });
      sent.on('error', reject).end(bytes);
    });
  }
}

async function compare(sender, server, database) {
  const bodies = Object.entries(bodiesOf(BATCH));
  const rounds = Object.fromEntries(bodies.map(([name]) => [name, []]));
  for (const [, body] of bodies) for (let sent = 0; sent < WARM_UP_REQUESTS; sent += 1) await sender.send(body);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, body] of bodies) {
      await emptyTables(database);
      await server.checkpoint();
      const [before, startedAt] = [await cpuMicros(sender.service.pid), performance.now()];
      const events = (await sender.sendFor(SECONDS, body)) * BATCH;
      const perSecond = events / ((performance.now() - startedAt) / 1_000);
      const micros = ((await cpuMicros(sender.service.pid)) - before) / events;
      rounds[name].push({ micros, perSecond });
      process.stdout.write(`${round + 1}/${ROUNDS} ${name}: ${Math.round(perSecond)}/s, ${micros.toFixed(1)} µs\n`);
    }
  }
  return Object.fromEntries(
    bodies.map(([name, body]) => [
      name,
      {
        micros: median(rounds[name].map(({ micros }) => micros)),
        perSecond: median(rounds[name].map(({ perSecond }) => perSecond)),
        bytes: body.bytes.length / BATCH,
      },
    ]),
  );
}

/** A quiet tenant in a process of its own. */
class Bystander {
  constructor(service, watched, child) {
    Object.assign(this, { service, watched, child });
  }

  static async start(service, database) {
    const watched = await (await Attacker.open(service, () => liftQuotas(database))).inNewProject();
    for (let sent = 0; sent < 20; sent += 1) await watched.event({ n: sent });
    const child = fork(BYSTANDER, { stdio: 'inherit' });
    const { projectId, bearer, email, password } = watched;
    child.send({ follow: { url: service.url, projectId, bearer, email, password } });
    await pause(1_000);
    return new Bystander(service, watched, child);
  }

  /** Measures while OTLP logs are sent. @returns milliseconds of the p99, failed requests, and memory of the service */
  async during(sender, batch) {
    const { 'otlp protobuf': body } = bodiesOf(batch);
    await collect(this.child);
    let megabytes = 0;
    const sampler = setInterval(() => (megabytes = Math.max(megabytes, residentMegabytes(this.service.pid))), 100);
    try {
      const requests = await sender.sendFor(3 * SECONDS, body);
      const samples = await collect(this.child);
      const p99 = (kind) => {
        const waits = samples.filter((one) => one.kind === kind).map(({ ms }) => ms);
        return Math.round(waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Infinity);
      };
      const failed = samples.filter(({ status }) => status !== 200).length;
      return { requests, megabytes, failed, health: p99('health'), read: p99('read') };
    } finally {
      clearInterval(sampler);
    }
  }

  end() {
    this.child.disconnect();
    this.watched.close();
  }
}

async function collect(bystander) {
  bystander.send({ collect: true });
  const [samples] = await once(bystander, 'message');
  return samples;
}
