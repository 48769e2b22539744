// Measures the worst projects for one worker with a small heap, and how long a project that is due after them waits.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startDatabase } from '../database.mjs';
import { goal, print } from '../goal-table.mjs';
import { facts, residentMegabytes } from '../machine.mjs';
import { startService } from '../service.mjs';
import { liftQuotas, makeTenants } from '../tenants.mjs';

const TOKEN = 'internal-job-token-of-the-bench';
const HEAP_MB = 512;
const MOST_ROUNDS = 20;
/** A project whose evaluation failed waits for a minute. This statement makes it due at once. */
const WAKE = 'UPDATE sentinel_projects SET due_at = least(due_at, now()) WHERE judged_until < $1';
const BUCKET_MS = 300_000;
const HOUR_MS = 3_600_000;
const MILLION = 1_000_000;
const TYPES = 10_000;

/** With `isKnown`, the baseline is trained before the worst events arrive. */
const CASES = {
  'a bucket of a million events of a thousand types': {
    fill: (database, projectId, end) => million(database, projectId, `'type.' || n % 1000`, end),
  },
  'a bucket of a million events, each of a type of its own': {
    fill: (database, projectId, end) => million(database, projectId, `'type.' || n`, end),
  },
  'three buckets of a million events each, of a thousand types': {
    isKnown: true,
    fill: async (database, projectId, end) => {
      for (const before of [0, 1, 2]) {
        const at = new Date(end.getTime() - before * BUCKET_MS);
        await million(database, projectId, `'type.' || n % 1000`, at);
      }
    },
  },
  'ten thousand types every four hours of 28 days': {
    fill: async (database, projectId, end) => {
      for (let hour = 0; hour < 28 * 24; hour += 4) {
        const at = new Date(end.getTime() - hour * HOUR_MS);
        await insert(database, projectId, `'type.' || n`, '20 milliseconds', [at, TYPES]);
      }
    },
  },
};

function million(database, projectId, event, end) {
  return insert(database, projectId, event, '0.29 milliseconds', [end, MILLION]);
}

export async function worstOf() {
  const server = await startDatabase();
  const database = await server.database('bench_sentinel_worst', { migrated: true });
  await liftQuotas(database);
  for (const [name, one] of Object.entries(CASES)) {
    if (!name.includes(process.env.BENCH_CASE ?? '')) continue;
    const service = await startService({
      databaseUrl: database.url,
      nodeArguments: [`--max-old-space-size=${HEAP_MB}`],
      env: { INTERNAL_JOB_TOKEN: TOKEN, PROCESS_ROLE: 'api' },
    });
    try {
      await server.filling(() => takeCase(database, service, name, one));
    } finally {
      await service.stop();
    }
  }
  await server.stop();
}

async function takeCase(database, service, name, { fill, isKnown = false }) {
  await database.query('TRUNCATE sentinel_projects CASCADE');
  await database.query('UPDATE projects SET archived_at = now() WHERE archived_at IS NULL');
  const [worst, behind] = await makeTenants(database, {
    organizations: 2,
    keysEach: 1,
    prefix: `worst${randomUUID().slice(0, 8)}`,
  });
  for (const { projectId } of [worst, behind]) {
    await database.query(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, at + n * interval '10 seconds', gen_random_uuid(), 'steady', 's', '{}', 'GET', '/e', 200, 5, true, at
       FROM generate_series(date_bin('5 minutes', now() - interval '4 days', '2000-01-01Z'), now(), interval '5 minutes') AS b (at),
            generate_series(0, 4) AS n`,
      [projectId],
    );
  }
  const due = new Date(Math.floor((Date.now() - 120_000) / BUCKET_MS) * BUCKET_MS - BUCKET_MS);
  const end = new Date(due.getTime() + BUCKET_MS - 1);
  const projects = [worst.projectId, behind.projectId];
  if (isKnown) {
    await count(database, projects);
    await watch(database, projects, new Date(due.getTime() - HOUR_MS));
    while ((await judged(service)) > 0);
  }
  await fill(database, worst.projectId, end);
  await count(database, projects);
  await database.query('VACUUM (ANALYZE) events');
  await database.query('VACUUM (ANALYZE) event_facet_days');
  await watch(database, projects, due);
  let [megabytes, behindAfter, longestHealth, rounds] = [0, null, 0, 0];
  const beganAt = performance.now();
  const isJudged = async ({ projectId }) =>
    (
      await database.query('SELECT judged_until > $2 AS judged FROM sentinel_projects WHERE project_id = $1', [
        projectId,
        due,
      ])
    )[0].judged;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      megabytes = Math.max(megabytes, residentMegabytes(service.pid));
      if (behindAfter === null && (await isJudged(behind))) behindAfter = performance.now() - beganAt;
      const askedAt = performance.now();
      await fetch(`${service.url}/health`);
      longestHealth = Math.max(longestHealth, performance.now() - askedAt);
      await pause(50);
    }
  })();
  let isDone = false;
  for (; rounds < MOST_ROUNDS && !isDone; rounds++) {
    await database.query(WAKE, [end]);
    await judged(service);
    isDone = await isJudged(worst);
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  isOver = true;
  await watching;
  console.log(`\n${facts()}; heap of ${HEAP_MB} MB`);
  print(name, [
    goal('rounds until it is evaluated', isDone ? rounds : Infinity, { most: MOST_ROUNDS }),
    goal('seconds until it is evaluated', Number(seconds.toFixed(1)), { most: 300 }),
    goal('seconds until the project behind it is evaluated', Number(((behindAfter ?? Infinity) / 1_000).toFixed(1)), {
      most: 15,
    }),
    goal('memory of the process, MB', megabytes, { most: HEAP_MB + 200 }),
    goal('longest wait for /health, ms', Math.round(longestHealth), { most: 1_000 }),
  ]);
}

/** Makes the projects due, one after another in this order. */
async function watch(database, projects, due) {
  for (const [index, projectId] of projects.entries()) {
    await database.query(
      `INSERT INTO sentinel_projects (project_id, judging_since, judged_until, due_at)
       VALUES ($1, $2, $2, now() - interval '1 minute' + $3 * interval '1 second')
       ON CONFLICT (project_id) DO UPDATE SET judged_until = excluded.judged_until, due_at = excluded.due_at`,
      [projectId, due, index],
    );
  }
}

/** Runs a round. @returns the number of processed projects */
async function judged(service) {
  const answer = await fetch(`${service.url}/internal/jobs/rule-evaluations`, {
    method: 'POST',
    headers: { 'X-Internal-Token': TOKEN },
  });
  if (answer.status !== 200) throw new Error(`a round answered ${answer.status} ${await answer.text()}`);
  return (await answer.json()).processed;
}

/**
 * @param apart the interval between events
 * @param values the time from which events are counted back, and their number
 */
function insert(database, projectId, event, apart, values) {
  return database.query(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                         log_latency_ms, log_has_latency, created_at)
     SELECT $1, $2::timestamptz - n * interval '${apart}', gen_random_uuid(), ${event}, 's', '{}', 'GET', '/e/' || n, 200, n % 1000, true, now()
     FROM generate_series(1, $3::int) AS n`,
    [projectId, ...values],
  );
}

async function count(database, projects) {
  for (const table of ['event_hours', 'event_facet_days']) {
    await database.query(`DELETE FROM ${table} WHERE project_id = ANY ($1)`, [projects]);
  }
  await database.query(
    `INSERT INTO event_hours (project_id, hour, events, errors)
     SELECT project_id, date_trunc('hour', "timestamp", 'UTC') AS hour, count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = ANY ($1) GROUP BY 1, 2`,
    [projects],
  );
  await database.query(
    `INSERT INTO event_facet_days (project_id, event, source_id, day, events, errors)
     SELECT project_id, event, source_id, date_trunc('day', "timestamp", 'UTC') AS day, count(*), count(*) FILTER (WHERE log_status >= 500)
     FROM events WHERE project_id = ANY ($1) GROUP BY 1, 2, 3, 4`,
    [projects],
  );
}
