// Compares the service as it is with services that have one other setting each, to show what a setting gains and costs.
import { EVENT_BODY } from './event.mjs';
import { startDatabase } from './database.mjs';
import { print, ratio } from './goal-table.mjs';
import { facts } from './machine.mjs';
import { startService, workspace } from './service.mjs';
import { CONNECTIONS, OTHER_NODE, ROUNDS, SECONDS, TRIES } from './settings.mjs';
import { shoot } from './shots.mjs';
import { emptyTables, makeTenants } from './tenants.mjs';

/** This bench has no goals, so it runs only when it is named. */
export const onlyByName = true;

const AS_IT_IS = 'as it is';
const WAYS = {
  [AS_IT_IS]: {},
  'a young generation of 32 MB': { nodeArguments: ['--max-semi-space-size=32'] },
  'waits of 4 ms for a batch': { env: { INGEST_BATCH_WAIT_MS: '4' } },
  'batches of 100 events at most': { env: { INGEST_BATCH_MAX: '100' } },
  '4 connections to PostgreSQL': { env: { DATABASE_POOL_SIZE: '4' } },
  '20 connections to PostgreSQL': { env: { DATABASE_POOL_SIZE: '20' } },
  ...(OTHER_NODE !== undefined && { 'the other Node': { node: OTHER_NODE } }),
};

export async function run() {
  const server = await startDatabase();
  const started = [];
  try {
    const shots = {};
    for (const [way, options] of Object.entries(WAYS)) {
      const database = await server.database(`bench_way_${started.length}`, { migrated: true });
      const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'one' });
      const many = await makeTenants(database, { organizations: 100, keysEach: 10, prefix: 'many' });
      const env = { PROCESS_ROLE: 'api', ...options.env };
      const service = await startService({ databaseUrl: database.url, ...options, env });
      started.push(service);
      const { bearer } = await workspace(service);
      for (const [kind, requests] of Object.entries(kindsOf({ key, many, bearer }))) {
        const prepare = () => emptyTables(database);
        shots[nameOf(way, kind)] = { target: service, order: { requests, connections: CONNECTIONS }, prepare };
      }
    }
    const settings = { seconds: SECONDS, rounds: ROUNDS, tries: TRIES, checkpoint: server.checkpoint };
    const results = await shoot(shots, settings);
    console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
    print(
      `${ROUNDS} rounds of ${SECONDS} s`,
      Object.keys(WAYS).map((way) => rowOf(way, results)),
    );
  } finally {
    for (const service of started) await service.stop();
    await server.stop();
  }
}

const nameOf = (way, kind) => `${way}: ${kind}`;

function kindsOf({ key, many, bearer }) {
  const asking = (apiKey, more = {}) => ({
    path: '/v1/events/ingest',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey, ...more },
    body: EVENT_BODY,
  });
  return {
    one: [asking(key)],
    keyed: [asking(key, { 'Idempotency-Key': '{unique-in-run}' })],
    many: many.map((tenant) => asking(tenant.key)),
    bearer: [{ path: '/v1/organizations', headers: { Authorization: `Bearer ${bearer}` } }],
  };
}

/** Returns the ratios of one setting: to the service as it is, and those that the goals of `ingest` limit. */
function rowOf(way, results) {
  const of = (kind) => results[nameOf(way, kind)];
  const beside = (kind, member) => ratio(of(kind)[member] / results[nameOf(AS_IT_IS, kind)][member]);
  return {
    setting: way,
    'events/s / as it is': beside('one', 'perSecond'),
    'p99 / as it is': beside('one', 'p99'),
    'µs a request / as it is': beside('one', 'cpuMicros'),
    'with an idempotency key / without': ratio(of('keyed').perSecond / of('one').perSecond),
    '1,000 keys / one': ratio(of('many').perSecond / of('one').perSecond),
    'bearer: µs a request / as it is': beside('bearer', 'cpuMicros'),
  };
}
