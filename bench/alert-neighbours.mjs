// Measures the time from the acceptance of an event to its alert event in quiet projects: while nothing else happens,
// during an open write transaction of another client, and next to a project whose events fan out to many channels. All
// three are measured in one run on one process. BENCH_NEIGHBOUR_SECONDS (default 10) is the length of a measurement.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { goal, print, ratio } from './goal-table.mjs';
import { facts, watchOthers } from './machine.mjs';
import { startService } from './service.mjs';
import { makeTenants } from './tenants.mjs';

const SECONDS = Number(process.env.BENCH_NEIGHBOUR_SECONDS ?? 10);
const QUIET = 60;
/** The loud project has as many channels as three rules can notify, and each of its events is a group of its own. */
const [RULES, CHANNELS_OF_A_RULE, EVENTS, EVENTS_OF_A_REQUEST] = [3, 20, 3_000, 500];
const SETTLED_WITHIN_MS = 120_000;

export async function neighbours(server) {
  const database = await server.database('bench_neighbours', { migrated: true });
  const tenants = await makeTenants(database, { organizations: QUIET + 1, keysEach: 1, prefix: 'neighbours' });
  const [loud, ...quiet] = tenants;
  const receiver = await startReceiver();
  for (const { projectId } of quiet) await makeRule(database, projectId, []);
  const channels = await makeChannels(database, loud.projectId, receiver.url);
  for (let at = 0; at < RULES; at += 1) {
    const told = channels.slice(at * CHANNELS_OF_A_RULE, (at + 1) * CHANNELS_OF_A_RULE);
    await makeRule(database, loud.projectId, told);
  }
  const service = await startService({
    databaseUrl: database.url,
    env: { OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8' },
  });
  try {
    const shots = { url: service.url, database, quiet };
    await shot(shots, 'warm-up', () => Promise.resolve());
    const idle = await shot(shots, 'nothing else', () => Promise.resolve());
    const foreign = await shot(shots, 'an open write transaction of another client', async (over) => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      await over;
      await client.end();
    });
    const name = `${EVENTS} events × ${RULES * CHANNELS_OF_A_RULE} channels`;
    const fanout = await shot(shots, name, () => sendLoudly(service.url, loud.key));
    console.log(`\n${facts()}`);
    print(`From acceptance to the alert event, ${QUIET} quiet projects with an event a second each`, [
      idle,
      foreign,
      fanout,
    ]);
    const beside = (one) => ratio(one['p95 ms'] / idle['p95 ms']);
    print('Goals', [
      goal('p95 during an open write transaction / idle', beside(foreign), { most: 2 }),
      goal(`p95 during ${name} / idle`, beside(fanout), { most: 2 }),
    ]);
  } finally {
    await service.stop();
    await receiver.stop();
  }
}

/** @param neighbour starts with the measurement, and gets a promise that resolves at its end */
async function shot({ url, database, quiet }, beside, neighbour) {
  await database.query('DELETE FROM alert_events');
  const others = watchOthers();
  const ends = performance.now() + SECONDS * 1_000;
  const over = pause(SECONDS * 1_000);
  const loud = neighbour(over);
  const sent = await Promise.all(quiet.map((tenant, at) => sendQuietly(url, tenant.key, (at / QUIET) * 1_000, ends)));
  const ids = sent.flat();
  const untilAll = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const [{ raised }] = await database.query(
      'SELECT count(*)::int AS raised FROM alert_events WHERE event_id = ANY ($1::uuid[])',
      [ids],
    );
    if (raised === ids.length) break;
    if (performance.now() > untilAll)
      throw new Error(`${ids.length - raised} of ${ids.length} alert events are missing`);
    await pause(100);
  }
  await loud;
  const [times] = await database.query(
    `SELECT percentile_disc(ARRAY[0.5, 0.95, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM a.created_at - e.created_at) * 1000) AS ms
     FROM alert_events a JOIN events e ON e.id = a.event_id AND e.project_id = a.project_id
     WHERE a.event_id = ANY ($1::uuid[])`,
    [ids],
  );
  const [p50, p95, longest] = times.ms.map((ms) => Math.round(Number(ms)));
  const [{ waiting }] = await database.query(
    'SELECT ((SELECT count(*) FROM event_outbox) + (SELECT count(*) FROM alert_rule_firings))::int AS waiting',
  );
  console.log(`${beside}: p95 ${p95} ms of ${ids.length}; ${waiting} rows of the loud project were still queued`);
  return {
    beside,
    alerts: ids.length,
    'p50 ms': p50,
    'p95 ms': p95,
    'longest ms': longest,
    'others, cores': others().toFixed(2),
  };
}

/** Sends an event a second, each the first of its group. @returns the ids of the events */
async function sendQuietly(url, key, afterMs, ends) {
  await pause(afterMs);
  const ids = [];
  while (performance.now() < ends) {
    const body = { event_type: 'quiet', source: 'bench', payload: { n: randomUUID() } };
    const answer = await post(url, '/v1/events/ingest', key, 'application/json', JSON.stringify(body));
    ids.push(answer.ingested_event_id);
    await pause(1_000);
  }
  return ids;
}

async function sendLoudly(url, key) {
  for (let sent = 0; sent < EVENTS; sent += EVENTS_OF_A_REQUEST) {
    const lines = Array.from({ length: EVENTS_OF_A_REQUEST }, (_, at) =>
      JSON.stringify({ event_type: 'loud', source: 'bench', payload: { n: sent + at } }),
    );
    await post(url, '/v1/events/ingest', key, 'application/x-ndjson', lines.join('\n'));
  }
}

async function post(url, path, key, type, body) {
  const headers = { 'Content-Type': type, 'X-API-Key': key };
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function makeRule(database, projectId, channelIds) {
  const id = randomUUID();
  await database.query(
    `INSERT INTO alert_rules (id, project_id, name, is_enabled, severity, kind, condition, group_by, for_seconds,
                              keep_firing_seconds, cooldown_seconds)
     VALUES ($1, $2, 'Rule', true, 'warning', 'match', '{"kind": "match"}', '{properties.n}', 0, 0, 300)`,
    [id, projectId],
  );
  await database.query(
    'INSERT INTO alert_rule_channels (rule_id, channel_id, place) SELECT $1, id, place FROM unnest($2::uuid[]) WITH ORDINALITY AS c (id, place)',
    [id, channelIds],
  );
  await database.query('INSERT INTO event_watches (project_id) VALUES ($1) ON CONFLICT DO NOTHING', [projectId]);
}

async function makeChannels(database, projectId, url) {
  const rows = await database.query(
    `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
     SELECT gen_random_uuid(), $1, 'Channel', 'webhook', true, $2 FROM generate_series(1, $3) RETURNING id`,
    [projectId, JSON.stringify({ url, method: 'POST', headers: {} }), RULES * CHANNELS_OF_A_RULE],
  );
  return rows.map(({ id }) => id);
}

/** Starts a receiver that accepts every request. */
async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
