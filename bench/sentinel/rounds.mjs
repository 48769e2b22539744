// Measures what a round costs: many projects with fifty series each have a bucket that is due at the same time.
import { randomUUID } from 'node:crypto';
import { startDatabase } from '../database.mjs';
import { EVENT_BODY } from '../event.mjs';
import { goal, print, ratio } from '../goal-table.mjs';
import { load } from '../load.mjs';
import { facts, measuredMicros, residentMegabytes } from '../machine.mjs';
import { median } from '../processes.mjs';
import { startService, workspace } from '../service.mjs';
import { PROJECTS, ROUNDS } from '../settings.mjs';
import { liftQuotas, makeTenants } from '../tenants.mjs';

const TOKEN = 'internal-job-token-of-the-bench';
const TYPES = 47;
const SOURCES = 2;
/**
 * Days of rows of the model project. The other projects have the rows of the last hours, and the counters of all days.
 */
const DAYS = 28;
const HOURS_OF_ROWS = 4;
const ROUND_SECONDS = 60;
const FINDINGS = 10_000;
/** In this time each type usually has at least twenty events. It also includes the buckets that are not due yet. */
const LATELY = `"timestamp" >= now() - interval '90 minutes'`;
const SILENCES = {
  'all but one event type': `UPDATE events SET event = 'type.0' WHERE ${LATELY}`,
  everything: `DELETE FROM events WHERE ${LATELY}`,
};
/** With so few connections a core is left for the rounds, so the bench measures the rounds and not a full machine. */
const BESIDE_CONNECTIONS = 2;

/** @param parts the parts that are measured on the same filled database: `rounds`, `beside`, `silent` */
export async function roundsOf(parts) {
  const server = await startDatabase();
  const database = await server.database('bench_sentinel', { migrated: true });
  const env = { INTERNAL_JOB_TOKEN: TOKEN, PROCESS_ROLE: 'api' };
  const service = await startService({ databaseUrl: database.url, env });
  try {
    const { bearer, projectId: model } = await workspace(service);
    await liftQuotas(database);
    const others = await makeTenants(database, { organizations: PROJECTS - 1, keysEach: 1, prefix: 'watched' });
    const sources = Array.from({ length: SOURCES }, () => randomUUID());
    await makeEvents(database, [model], `${DAYS} days`, sources);
    await countHours(database);
    const learning = await judged(database, service);
    await makeEvents(
      database,
      others.map(({ projectId }) => projectId),
      `${HOURS_OF_ROWS} hours`,
      sources,
    );
    await copyKnowledge(database, model);
    await database.query('VACUUM (ANALYZE)');
    await server.checkpoint();
    if (parts.includes('beside')) await besideRounds(database, service, env);
    if (parts.includes('rounds')) await plainRounds(server, database, service, { bearer, model, learning });
    if (parts.includes('silent')) {
      await makeRules(database, service, bearer, model);
      for (const what of Object.keys(SILENCES)) await silentRounds(database, service, what);
    }
  } finally {
    await service.stop();
    await server.stop();
  }
}

/** Measures rounds in which no project has a fault. */
async function plainRounds(server, database, service, { bearer, model, learning }) {
  const idle = residentMegabytes(service.pid);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await judged(database, service));
  const most = Math.max(...rounds.map(({ megabytes }) => megabytes));
  const list = await listOf(database, service, bearer, model);
  console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
  const share = (name) => ratio(median(rounds.map((one) => one[name])) / ROUND_SECONDS);
  print(`${PROJECTS} projects with ${TYPES + SOURCES + 1} series each`, [
    goal('processor time of a round, with the database, / its minute', share('busySeconds'), { most: 0.5 }),
    goal('duration of a round / its minute', share('seconds'), { most: 0.5 }),
    goal('memory of the process, MB', most, { most: 250 }),
    goal('findings list less 2 ms / SQL', list, { most: 1.5 }),
  ]);
  console.log(
    `one project was trained in ${learning.busySeconds.toFixed(2)} s of processor time (${learning.seconds.toFixed(2)} s); idle ${idle} MB`,
  );
}

/** Creates a rule of kind `anomaly` in each project. */
async function makeRules(database, service, bearer, model) {
  const answer = await fetch(`${service.url}/v1/alert-rules`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ project_id: model, name: 'Findings', condition: { kind: 'anomaly' } }),
  });
  if (answer.status !== 201) throw new Error(`a rule answered ${answer.status} ${await answer.text()}`);
  await database.query(
    `INSERT INTO alert_rules SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'project_id', p.id))).*
     FROM alert_rules r, projects p WHERE r.project_id = $1 AND p.id <> $1`,
    [model],
  );
}

/**
 * Measures rounds after all projects fall silent at the same time. If everything is silent, a project has one finding
 * with all its series as contributors. If all event types but one are silent, and that one has their events, each type
 * has a finding.
 */
async function silentRounds(database, service, what) {
  await database.query('DELETE FROM sentinel_findings');
  await database.query(SILENCES[what]);
  await database.query('VACUUM (ANALYZE) events');
  const [opening, extending] = [await judged(database, service), await judged(database, service)];
  const [{ findings }] = await database.query('SELECT count(*)::int AS findings FROM sentinel_findings');
  console.log(`\n${facts()}`);
  print(`${PROJECTS} projects of which ${what} is silent: ${findings} findings`, [
    goal('duration of a round that opens findings / its minute', ratio(opening.seconds / ROUND_SECONDS), { most: 1 }),
    goal('processor time of that round, with the database, / its minute', ratio(opening.busySeconds / ROUND_SECONDS), {
      most: 1,
    }),
    goal('duration of a round in which findings continue / its minute', ratio(extending.seconds / ROUND_SECONDS), {
      most: 1,
    }),
    goal('memory of the process, MB', Math.max(opening.megabytes, extending.megabytes), { most: 250 }),
  ]);
}

/** Compares a minute of ingestion while another process evaluates all projects once with a minute without that. */
async function besideRounds(database, service, env) {
  const [{ key }] = await makeTenants(database, { organizations: 1, keysEach: 1, prefix: 'ingesting' });
  const judging = await startService({ databaseUrl: database.url, env });
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
  const requests = [{ path: '/v1/events/ingest', headers, body: EVENT_BODY }];
  const minute = () => load({ url: service.url, requests, connections: BESIDE_CONNECTIONS, seconds: ROUND_SECONDS });
  const [alone, beside] = [[], []];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      alone.push((await minute()).perSecond);
      const [{ perSecond }] = await Promise.all([minute(), judged(database, judging)]);
      beside.push(perSecond);
    }
  } finally {
    await judging.stop();
  }
  console.log(`\n${facts()}`);
  print(`Ingestion over ${BESIDE_CONNECTIONS} connections, with a round of ${PROJECTS} projects each minute`, [
    goal('events a second during rounds / alone', ratio(median(beside) / median(alone)), { least: 0.95 }),
  ]);
}

/** Creates at least one event of each type in each bucket, and more of some types. */
async function makeEvents(database, projects, period, sources) {
  for (let at = 0; at < projects.length; at += 50) {
    await database.query(
      `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT p, b.at + e.n * interval '2 seconds', gen_random_uuid(), ($3::uuid[])[1 + e.n % ${SOURCES}], 'type.' || e.n % ${TYPES}, 's', '{}',
              'GET', '/e/' || e.n % 20, CASE WHEN e.n % 50 = 0 THEN 500 ELSE 200 END, 50 + e.n, true, b.at
       FROM unnest($1::uuid[]) AS p,
            generate_series(date_bin('5 minutes', now() - $2::interval, '2000-01-01Z'), now(), interval '5 minutes') AS b (at),
            generate_series(0, 79) AS e (n) WHERE b.at + e.n * interval '2 seconds' <= now()`,
      [projects.slice(at, at + 50), period, sources],
    );
  }
}

async function countHours(database) {
  await database.query('TRUNCATE event_hours, event_facet_days');
  await database.query(
    `INSERT INTO event_hours (project_id, hour, events, errors)
     SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour, count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events GROUP BY 1, 2`,
  );
  await database.query(
    `INSERT INTO event_facet_days (project_id, event, source_id, day, events, errors)
     SELECT project_id, event, source_id, date_trunc('day', "timestamp", 'UTC') AS day, count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events GROUP BY 1, 2, 3, 4`,
  );
}

/** Copies the counters and the baseline of the model project to all projects. */
async function copyKnowledge(database, model) {
  await database.query(
    `INSERT INTO event_hours (project_id, hour, events, errors)
     SELECT p.id, h.hour, h.events, h.errors FROM projects p, event_hours h WHERE h.project_id = $1 AND p.id <> $1`,
    [model],
  );
  const columns = `judging_since, judged_until, due_at, oldest_event_at, profiled_until, profiled_events, most_event_types,
    most_endpoints, series, learning`;
  await database.query(
    `INSERT INTO sentinel_projects (project_id, ${columns})
     SELECT p.id, ${columns.split(', ').map((name) => `s.${name.trim()}`)} FROM projects p, sentinel_projects s
     WHERE s.project_id = $1 AND p.id <> $1`,
    [model],
  );
  await database.query(
    `INSERT INTO sentinel_series (project_id, type, value, profile)
     SELECT p.id, s.type, s.value, s.profile FROM projects p, sentinel_series s WHERE s.project_id = $1 AND p.id <> $1`,
    [model],
  );
}

/** Evaluates the newest bucket of all projects again. */
async function judged(database, service) {
  await database.query(
    `UPDATE sentinel_projects SET due_at = now(),
       judged_until = date_bin('5 minutes', now() - interval '2 minutes', '2000-01-01Z') - interval '5 minutes'`,
  );
  const [busy, beganAt] = [measuredMicros(), performance.now()];
  let megabytes = residentMegabytes(service.pid);
  const watching = setInterval(() => (megabytes = Math.max(megabytes, residentMegabytes(service.pid))), 50);
  try {
    const answer = await fetch(`${service.url}/internal/jobs/rule-evaluations`, {
      method: 'POST',
      headers: { 'X-Internal-Token': TOKEN },
    });
    if (answer.status !== 200) throw new Error(`a round answered ${answer.status} ${await answer.text()}`);
  } finally {
    clearInterval(watching);
  }
  return {
    seconds: (performance.now() - beganAt) / 1_000,
    busySeconds: (measuredMicros() - busy) / 1_000_000,
    megabytes,
  };
}

/** Returns the time of the newest page of many findings, less 2 ms, divided by that of the best statements for it. */
async function listOf(database, service, bearer, projectId) {
  await database.query(
    `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title, summary,
                                    started_at, detected_at, last_seen_at, resolved_at, evidence)
     SELECT gen_random_uuid(), $1, 'rate_spike', 'event', 'type.' || n, 'events', 'resolved', 'warning', 0.5, 'A spike', 'A spike of events',
            at, at, at, at, '{}' FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, ${FINDINGS}) n) f`,
    [projectId],
  );
  await database.query('VACUUM (ANALYZE) sentinel_findings');
  const [ours, best] = [[], []];
  for (let turn = 0; turn < 50; turn++) {
    ours.push(
      await took(async () => {
        const url = `${service.url}/v1/sentinel/findings?project_id=${projectId}`;
        const answer = await fetch(url, { headers: { Authorization: `Bearer ${bearer}` } });
        if (answer.status !== 200) throw new Error(`the list answered ${answer.status}`);
        await answer.json();
      }),
    );
    best.push(
      await took(async () => {
        await database.query(
          'SELECT * FROM sentinel_findings WHERE project_id = $1 ORDER BY started_at DESC, id DESC LIMIT 25',
          [projectId],
        );
        await database.query('SELECT count(*) FROM sentinel_findings WHERE project_id = $1', [projectId]);
      }),
    );
  }
  return ratio(Math.max(0, median(ours) - 2) / median(best));
}

async function took(work) {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}
