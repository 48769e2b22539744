// Measures what rules that match events cost the sender of the events. Projects without rules and with rules get the
// same load in turns, on one process that accepts the events and matches them. BENCH_SECONDS (default 4) is the length
// of a measurement, BENCH_ROUNDS (default 3) the number of rounds. Then the bench measures how long quiet projects wait
// for their alerts while other projects have many. BENCH_ALERTS=neighbours measures only that.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { neighbours } from './alert-neighbours.mjs';
import { startDatabase } from './database.mjs';
import { EVENT } from './event.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts, measuredMicros, watchOthers } from './machine.mjs';
import { median } from './processes.mjs';
import { startService } from './service.mjs';
import { CONNECTIONS, ROUNDS } from './settings.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const PATH = '/v1/events/ingest';
/** Events are of so many kinds in turn, so that each kind for which there is a rule occurs. */
const KINDS = 100;
const DRAINED_WITHIN_S = 60;

const isKind = (kind) => ({ field: 'event', op: 'eq', value: `kind.${kind}` });
/** A rule that matches one event in a hundred, by its type and two more conditions. */
const rareRule = (kind) => ({
  condition: {
    kind: 'match',
    all: [
      isKind(kind),
      { field: 'properties.amounts.subtotal', op: 'gte', value: 100 },
      { field: 'message', op: 'matches', value: '^GET /products/\\d+' },
    ],
  },
});
/** The rules of each project. `share` is the number of occurrences for each event that is sent. */
const PROJECTS = {
  'no rules': { rules: [], share: 0 },
  '20 rules for one event in a hundred each': {
    rules: Array.from({ length: 20 }, (_, at) => rareRule(at)),
    share: 0.2,
  },
  '1 rule for every event, grouped by country': {
    rules: [{ condition: { kind: 'match' }, groupBy: ['properties.country'] }],
    share: 1,
  },
};

export async function run() {
  const server = await startDatabase();
  try {
    if (process.env.BENCH_ALERTS !== 'neighbours') await costs(server);
    await neighbours(server);
  } finally {
    await server.stop();
  }
}

async function costs(server) {
  const database = await server.database('bench_alerts', { migrated: true });
  const names = Object.keys(PROJECTS);
  const tenants = await makeTenants(database, { organizations: names.length, keysEach: 1, prefix: 'alerts' });
  for (const [at, { projectId }] of tenants.entries()) await makeRules(database, projectId, PROJECTS[names[at]].rules);
  const service = await startService({ databaseUrl: database.url });
  try {
    const results = await inTurns(
      tenants.map(({ key }, at) => ({ name: names[at], requests: requestsOf(key) })),
      { server, database, service },
    );
    console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
    print(`${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections, matching in the same process`, results);
    const [plain, ...watched] = names;
    print('Goals', [
      ...watched.flatMap((name) => [
        goal(`req/s, ${name} / ${plain}`, over(results, 'req/s', name, plain), { least: 0.9 }),
        goal(`CPU a request, ${name} / ${plain}`, over(results, 'CPU µs/req', name, plain), { most: 1.1 }),
      ]),
      ...(await exactly(database, service, tenants, names)),
    ]);
  } finally {
    await service.stop();
  }
}

function over(results, quantity, name, plain) {
  const of = (rules) => results.find((result) => result.rules === rules)[quantity];
  return ratio(of(name) / of(plain));
}

/**
 * Runs each load once in each round, on empty tables. The processor time is that of service and database together,
 * until all sent events have been matched. On a busy machine it shows the cost better than the rate does.
 */
async function inTurns(loads, { server, database, service }) {
  const measured = new Map(loads.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, requests } of loads) {
      const order = { url: service.url, requests, connections: CONNECTIONS };
      await emptied(database);
      await load({ ...order, seconds: 1 });
      await drained(database);
      await emptied(database);
      await server.checkpoint();
      const [others, before] = [watchOthers(), measuredMicros()];
      const result = await load({ ...order, seconds: SECONDS });
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} failed, the first:\n${result.firstFailure}`);
      await drained(database);
      const micros = (measuredMicros() - before) / result.requests;
      measured.get(name).push({ ...result, micros, others: others() });
      console.log(`${round + 1}/${ROUNDS} ${name}: ${result.perSecond}/s, ${micros.toFixed(0)} µs`);
    }
  }
  return [...measured].map(([rules, all]) => {
    const middle = (field) => median(all.map((one) => one[field]));
    return {
      rules,
      'req/s': Math.round(middle('perSecond')),
      'p50 ms': middle('p50'),
      'p99 ms': middle('p99'),
      'CPU µs/req': Math.round(middle('micros')),
      'others, cores': Math.max(...all.map((one) => one.others)).toFixed(2),
    };
  });
}

function requestsOf(key) {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
  return Array.from({ length: KINDS }, (_, kind) => ({
    path: PATH,
    headers,
    body: JSON.stringify({ ...EVENT, event_type: `kind.${kind}` }),
  }));
}

async function makeRules(database, projectId, rules) {
  for (const [at, { condition, groupBy = [] }] of rules.entries()) {
    await database.query(
      `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                                keep_firing_seconds, cooldown_seconds)
       VALUES ($1, $2, $3, true, 'warning', 'match', $4, $5, 0, 0, 300)`,
      [randomUUID(), projectId, `Rule ${at}`, JSON.stringify(condition), groupBy],
    );
  }
  if (rules.length > 0) await database.query('INSERT INTO event_watches (project_id) VALUES ($1)', [projectId]);
}

/** Deletes all events, so that the next measurement does not match events of the previous one. */
async function emptied(database) {
  await emptyTables(database);
  await database.query('DELETE FROM alert_events');
}

/** Sends events, waits until they are matched, and compares the counted occurrences with the sent events. */
async function exactly(database, service, tenants, names) {
  const rows = [];
  for (const [at, { key, projectId }] of tenants.entries()) {
    const { share, rules } = PROJECTS[names[at]];
    if (rules.length === 0) continue;
    await emptied(database);
    const count = 20 * KINDS;
    const sent = await load({ url: service.url, requests: requestsOf(key), connections: 8, count });
    if (sent.failed > 0) throw new Error(`${sent.failed} failed, the first:\n${sent.firstFailure}`);
    await drained(database);
    const [{ told }] = await database.query(
      'SELECT coalesce(sum(occurrences), 0)::int AS told FROM alert_events WHERE project_id = $1',
      [projectId],
    );
    rows.push(goal(`occurrences of ${count} events, ${names[at]}`, told, { least: count * share }));
    if (told > count * share) throw new Error(`${told} occurrences are more than expected`);
  }
  return rows;
}

async function drained(database) {
  for (const end = performance.now() + DRAINED_WITHIN_S * 1_000; ; await pause(50)) {
    const [{ waiting }] = await database.query('SELECT count(*)::int AS waiting FROM event_outbox');
    if (waiting === 0) return;
    if (performance.now() > end)
      throw new Error(`${waiting} batches of events were not matched within ${DRAINED_WITHIN_S} s`);
  }
}
