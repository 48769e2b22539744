// Sends the worst requests that a tenant, or a client without credentials, may send, case by case, while another tenant
// (the bystander) sends a steady load. Measures how long the bystander waits, the memory of the service, and whether
// the service survives. One process with a small heap has all roles. BENCH_CASE selects the cases whose names contain
// it. With BENCH_STORE=clickhouse, events are also read from ClickHouse.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startDatabase } from './database.mjs';
import { startClickHouse } from './event-store/clickhouse.mjs';
import { goal, print } from './goal-table.mjs';
import { facts, residentMegabytes, watchOthers } from './machine.mjs';
import { newDataDir, startService } from './service.mjs';
import { STORE } from './settings.mjs';
import { liftQuotas } from './tenants.mjs';
import { Attacker } from './worst/attacker.mjs';
import { CASES, SIZES } from './worst/cases.mjs';
import { FLOODS } from './worst/floods.mjs';

const HEAP_MB = 512;
const GOAL_MS = 250;
/** Limit of the memory during floods of connections and bodies, whose memory is outside of the heap. */
const GOAL_MB = 450;
/** Time limit of one preparation, and of one attack. */
const MOST_MS = 15_000;
/** Each attack is observed at least this long, so that the percentiles have enough samples. */
const LEAST_MS = 3_000;
const CALM_WITHIN_MS = 15_000;
const SAMPLED_EVERY_MS = 100;
const BYSTANDER = fileURLToPath(new URL('worst/bystander.mjs', import.meta.url));

export async function run() {
  const bench = await WorstBench.start();
  const others = watchOthers();
  try {
    const cases = [...CASES, heldTransaction(bench.database)];
    for (const one of cases.filter(({ name }) => name.includes(process.env.BENCH_CASE ?? ''))) await bench.take(one);
    console.log(`\n${facts()}; heap of ${HEAP_MB} MB; events read from ${STORE}; others: ${others().toFixed(2)} cores`);
    print('Worst cases', bench.rows);
    print('Goals', bench.goals());
  } finally {
    await bench.stop();
  }
}

/** Another client on the same database server has written in a transaction, and does not end it. */
function heldTransaction({ url }) {
  return {
    name: 'an open write transaction',
    prepare: () => ({}),
    attacks: {
      'events during it': async (attacker, size) => {
        const holder = new pg.Client({ connectionString: url });
        await holder.connect();
        await holder.query('BEGIN; SELECT pg_current_xact_id()');
        await attacker.flood(4, size.floodMs, () => attacker.event({ n: 1 }));
        await holder.end();
      },
    },
  };
}

class WorstBench {
  rows = [];
  stops = [];
  store = {};
  restarts = 0;
  peak = 0;

  static async start() {
    const bench = new WorstBench();
    bench.server = await startDatabase();
    bench.database = await bench.server.database('bench_worst', { migrated: true });
    bench.dataDir = await newDataDir();
    if (STORE === 'clickhouse') {
      const { env } = await startClickHouse(bench.stops, 'bench_worst');
      bench.store = { ...env, EVENT_STORE: 'clickhouse' };
    }
    await bench.startService();
    bench.bystander = fork(BYSTANDER, { stdio: 'inherit' });
    bench.watched = await (await bench.person()).inNewProject();
    bench.watched.close();
    for (let sent = 0; sent < 20; sent += 1) await bench.watched.event({ n: sent });
    bench.attacker = await bench.person();
    bench.follow();
    bench.sampler = setInterval(() => bench.sampleMemory(), SAMPLED_EVERY_MS);
    return bench;
  }

  person() {
    return Attacker.open(this.service, () => liftQuotas(this.database));
  }

  async startService() {
    this.service = await startService({
      databaseUrl: this.database.url,
      dataDir: this.dataDir,
      nodeArguments: [`--max-old-space-size=${HEAP_MB}`],
      env: { OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8', ...this.store },
    });
  }

  /** Sends the bystander the current address of the service. */
  follow() {
    const { projectId, bearer, email, password } = this.watched;
    this.bystander.send({ follow: { url: this.service.url, projectId, bearer, email, password } });
  }

  async collect() {
    this.bystander.send({ collect: true });
    const [samples] = await once(this.bystander, 'message');
    return samples;
  }

  async take({ name, prepare, attacks, release }) {
    const attacker = await this.attacker.inNewProject();
    let prepared;
    await this.observe(name, 'prepare', attacker, async (size) => (prepared = await prepare(attacker, size)));
    for (const [attack, act] of Object.entries(attacks)) {
      if (prepared === undefined) break;
      await this.observe(name, attack, attacker, (size) => act(attacker, size, prepared));
    }
    if (prepared !== undefined) release?.(prepared);
    await attacker.leave();
  }

  async observe(name, step, attacker, act) {
    await this.collect();
    this.peak = 0;
    attacker.answers = [];
    attacker.deadline = AbortSignal.timeout(MOST_MS);
    const startedAt = performance.now();
    let failure = '';
    await act(SIZES.bench).catch((error) => (failure = ` ${error.message}`));
    if (step !== 'prepare') await pause(Math.max(0, LEAST_MS - (performance.now() - startedAt)));
    attacker.deadline = new AbortController().signal;
    const state = await this.state();
    this.rows.push({ case: name, step, ...summary(attacker.answers, await this.collect()), MB: this.peak, state });
    console.log(JSON.stringify(this.rows.at(-1)) + failure);
    if (state !== 'lives') await this.restart(attacker);
  }

  /** Waits until the service answers again. A service that does not answer within 15 s is stuck. */
  async state() {
    for (const end = performance.now() + CALM_WITHIN_MS; performance.now() < end; await pause(200)) {
      if (this.service.ended() !== null) return `died (${this.service.ended()})`;
      const left = AbortSignal.timeout(CALM_WITHIN_MS);
      const answer = await fetch(`${this.service.url}/health`, { signal: left }).catch(() => null);
      if (answer?.status === 200 && this.service.ended() === null) return 'lives';
    }
    return this.service.ended() === null ? 'stuck' : `died (${this.service.ended()})`;
  }

  /** Restarts the service, without the events and rules that would kill it again. */
  async restart(attacker) {
    this.restarts += 1;
    this.service.kill();
    await this.service.stop();
    await this.database.query('DELETE FROM event_outbox');
    await this.database.query('UPDATE alert_rules SET is_enabled = false');
    await this.startService();
    for (const one of [attacker, this.attacker]) one.movedTo(this.service);
    this.follow();
    // Requests that failed during the restart must not count for the next case.
    await pause(500);
  }

  sampleMemory() {
    try {
      this.peak = Math.max(this.peak, residentMegabytes(this.service.pid) || 0);
    } catch {
      // The service has just ended.
    }
  }

  goals() {
    const worst = (column) => Math.max(...this.rows.map((row) => row[column]));
    const floods = this.rows.filter((row) => FLOODS.some(({ name }) => name === row.case));
    return [
      goal('p99 of /health during the worst case, ms', worst('health p99'), { most: GOAL_MS }),
      goal('p99 of a read during the worst case, ms', worst('read p99'), { most: GOAL_MS }),
      goal(
        'requests of the bystander that failed',
        this.rows.reduce((sum, row) => sum + row.failed, 0),
        { most: 0 },
      ),
      goal('memory during floods, MB', Math.max(0, ...floods.map(({ MB }) => MB)), { most: GOAL_MB }),
      goal('restarts', this.restarts, { most: 0 }),
    ];
  }

  async stop() {
    clearInterval(this.sampler);
    this.bystander.disconnect();
    await this.service.stop();
    for (const stop of this.stops.reverse()) await stop();
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

function summary(answers, samples) {
  const counts = new Map();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'cut'} × ${count}`);
  // A failed request counts as an infinite wait.
  const waits = ({ status, ms }) => (status === 200 ? ms : Infinity);
  const of = (kind) => samples.filter((one) => one.kind === kind).map(waits);
  const at = (values, share) => {
    const sorted = values.sort((a, b) => a - b);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  };
  return {
    answers: parts.join(', ') || '–',
    'slowest s': Number((Math.max(0, ...answers.map(({ ms }) => ms)) / 1_000).toFixed(1)),
    ...Object.fromEntries(
      ['health', 'read'].flatMap((kind) => [
        [`${kind} p50`, at(of(kind), 0.5)],
        [`${kind} p99`, at(of(kind), 0.99)],
        [`${kind} max`, at(of(kind), 1)],
      ]),
    ),
    'login max': at(of('login'), 1),
    failed: samples.filter(({ status }) => status !== 200).length,
  };
}
