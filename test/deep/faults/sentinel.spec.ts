import { afterEach, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { alertsOf } from '../../support/alerts.js';
import { createTestApp } from '../../support/app.js';
import { INTERNAL_TOKEN, type Json } from '../../support/delivery.js';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { createTestDatabase } from '../../support/postgres.js';
import { startReceiver } from '../../support/receiver.js';
import { RULES_ENV, rulesOf } from '../../support/rules.js';
import { SentinelClient } from '../../support/sentinel.js';
import {
  CLEAN_EXIT,
  eventually,
  type ServiceProcess,
  startService,
  startWorker,
} from '../../support/service-process.js';

afterEach(cleanUp);

const DAY = 288;
const TYPES = 6;
/** Every other one between two buckets, the rest in the middle of one. */
const KILLS = Number(process.env.SENTINEL_KILLS ?? 2);

it('loses and doubles no finding, and tells of each once, whoever is killed in a round, however small the heap', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const env = { ...RULES_ENV, DATA_DIR: await temporaryFolder() };
  const app = await createTestApp({ databaseUrl: database.url, dataDir: env.DATA_DIR, env });
  cleanups.push(() => app.close());
  const owner = await ownerWithProject(app);
  const sentinel = new SentinelClient(app, owner);
  await alertsOf(app, owner).destination('https://hooks.example.com/alerts');
  await rulesOf(app, owner).rule({ condition: { kind: 'anomaly' } });
  const types = Array.from({ length: TYPES }, (_, index) => `type.${index}`);
  await sentinel.put(-3 * DAY - 12, 0, { events: 30, event: 'other' });
  for (const [index, event] of types.entries()) {
    await sentinel.put(-3 * DAY - 12, 0, { events: 2, event });
    // Each has its own bucket.
    await sentinel.put(index - TYPES + 1, index - TYPES + 1, { events: 50, event });
  }
  await sentinel.count();
  await sentinel.watchFrom(1 - TYPES);
  // So that a bucket takes long enough to be killed in.
  const slow = async (event: 'INSERT' | 'UPDATE', tables: readonly string[]): Promise<void> => {
    await app.rows(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END'`);
    for (const table of tables) {
      await app.rows(`CREATE TRIGGER linger BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION linger()`);
    }
  };
  await slow('INSERT', ['sentinel_findings', 'alert_events', 'alert_deliveries']);
  const judgedUntil = async (): Promise<string> => {
    const [row] = await app.rows<{ at: string }>('SELECT judged_until::text AS at FROM sentinel_projects');
    return row?.at ?? '';
  };
  const isDone = async (): Promise<boolean> => {
    const [row] = await app.rows<{ done: boolean }>('SELECT judged_until > $1 AS done FROM sentinel_projects', [
      sentinel.at(sentinel.newest),
    ]);
    return row?.done === true;
  };
  const isInside = async (): Promise<boolean> =>
    (await app.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`))
      .length > 0;
  /** A process that is killed in its round: inside of a transaction, or when a place has been reached. */
  const killed = async (inside: boolean, place: () => Promise<string>, done: () => Promise<boolean>): Promise<void> => {
    const service = await startService({ env: { ...env, DATABASE_URL: app.databaseUrl } });
    const before = await place();
    const round = fetch(`${service.url}/internal/jobs/rule-evaluations`, {
      method: 'POST',
      headers: { 'X-Internal-Token': INTERNAL_TOKEN },
    }).catch(() => null);
    const isTime = async (): Promise<boolean> => (inside ? await isInside() : (await place()) !== before);
    const seen = async (): Promise<string> => {
      const isOver = await done();
      return (await isTime()) ? 'in time' : isOver ? 'too late' : '';
    };
    // One that comes when all is done kills nothing.
    expect(await eventually(seen, Boolean)).toBe('in time');
    await service.stop('SIGKILL');
    await round;
  };
  for (let kill = 0; kill < KILLS && !(await isDone()); kill++) await killed(kill % 2 === 0, judgedUntil, isDone);
  await app.rows('DROP FUNCTION linger CASCADE');
  await eventually(async () => {
    await sentinel.detect();
    return isDone();
  }, Boolean);
  const findings = await sentinel.findings();
  expect(findings.map(({ kind, series }) => `${String(kind)} ${String(series.value)}`).sort()).toEqual(
    types.map((event) => `rate_spike ${event}`),
  );
  const alerts = await app.rows<{ type: string; occurrences: number; notices: number }>(
    `SELECT a.event_type AS type, a.occurrences::int, (SELECT count(*) FROM alert_deliveries d WHERE d.alert_event_id = a.id)::int AS notices
     FROM alert_events a ORDER BY a.event_type`,
  );
  // The first ones have recovered as well, after three normal buckets.
  expect(alerts).toEqual(types.map((type, index) => ({ type, occurrences: 1, notices: index < TYPES - 3 ? 2 : 1 })));

  // With a small heap, what a project of ten thousand types did in four days is learned and evaluated.
  const many = sentinel.of(await ownerWithProject(app));
  await many.put(-4 * DAY, 0, { events: 5, event: 'other' });
  await app.rows(
    `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms,
                         log_has_latency, created_at)
     SELECT $1, at + n * interval '1 millisecond', gen_random_uuid(), 'type.' || n, 's', '{}', 'GET', '/' || repeat(md5(n::text), 9),
            200, 1, true, now()
     FROM unnest($2::timestamptz[]) AS at, generate_series(1, 10000) AS n`,
    [many.projectId, [-3 * DAY, -2 * DAY, -DAY, 0].map((bucket) => many.at(many.newest + bucket))],
  );
  await many.count();
  await many.watchFrom(0);
  // For other processes, too, no later bucket becomes due: in the next hour it would be learned anew.
  await app.rows(`CREATE FUNCTION end_time() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.judged_until > '${many.at(many.newest).toISOString()}' THEN NEW.due_at = 'infinity'; END IF; RETURN NEW; END $$`);
  await app.rows('CREATE TRIGGER end_time BEFORE UPDATE ON sentinel_projects FOR EACH ROW EXECUTE FUNCTION end_time()');
  const learnedTo = async (): Promise<string> => {
    const [row] = await app.rows<{ at: string }>(
      `SELECT read_from::text || ' ' || learned AS at FROM sentinel_lessons WHERE project_id = $1`,
      [many.projectId],
    );
    return row?.at ?? '';
  };
  const isLearned = async (): Promise<boolean> =>
    (
      await app.rows('SELECT FROM sentinel_projects WHERE project_id = $1 AND profiled_until IS NOT NULL', [
        many.projectId,
      ])
    ).length > 0;
  // Killed between pieces of its training, and in one of them, it goes on where it was.
  await slow('UPDATE', ['sentinel_lessons']);
  for (let kill = 0; kill < KILLS; kill += 2) {
    await killed(false, learnedTo, isLearned);
    if (kill > 0) await killed(true, learnedTo, isLearned);
  }
  expect(await learnedTo()).not.toBe('');
  await app.rows('DROP FUNCTION linger CASCADE');
  const small = await startService({
    command: [process.execPath, '--max-old-space-size=512', 'dist/src/main.js'],
    env: { ...env, DATABASE_URL: app.databaseUrl },
  });
  const answer = await fetch(`${small.url}/internal/jobs/rule-evaluations`, {
    method: 'POST',
    headers: { 'X-Internal-Token': INTERNAL_TOKEN },
  });
  expect(answer.status).toBe(200);
  const { coverage, evaluated_until: evaluatedUntil } = await many.overview();
  expect([coverage.series, evaluatedUntil]).toEqual([201, expect.any(String)]);
  expect(await small.stop()).toEqual(CLEAN_EXIT);
  // Neither lost nor read twice: the same is learned in one go, also where rows lie elsewhere and are read in another way.
  const known = (): Promise<{ known: string }[]> =>
    app.rows(
      `SELECT md5(string_agg(type || value || encode(profile, 'hex'), ' ' ORDER BY type, value)) AS known,
              (SELECT count(*)::int FROM sentinel_lesson_points) AS left FROM sentinel_series WHERE project_id = $1`,
      [many.projectId],
    );
  const learned = await known();
  await app.rows('VACUUM FULL ANALYZE event_facet_days');
  await app.rows('UPDATE sentinel_projects SET profiled_until = NULL WHERE project_id = $1', [many.projectId]);
  await app.rows('DELETE FROM sentinel_series WHERE project_id = $1', [many.projectId]);
  await many.watchFrom(0);
  await many.detectTo(0);
  expect(await known()).toEqual(learned);
});

it('is found and told by workers of their own accord, once however many there are', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const receiver = await startReceiver();
  cleanups.push(() => receiver.close());
  const env = { ...RULES_ENV, DATA_DIR: await temporaryFolder() };
  const app = await createTestApp({ databaseUrl: database.url, dataDir: env.DATA_DIR, env });
  cleanups.push(() => app.close());
  const owner = await ownerWithProject(app);
  const sentinel = new SentinelClient(app, owner);
  await alertsOf(app, owner).destination(receiver.url);
  await rulesOf(app, owner).rule({ condition: { kind: 'anomaly', finding_kinds: ['rate_spike'] } });
  await sentinel.put(-3 * DAY - 12, -1, { events: 5 });
  await sentinel.put(0, 0, { events: 150 });
  await sentinel.count();
  await sentinel.watchFrom(0);
  const { PROCESS_ROLE: _, ...working } = env;
  const worker = (): Promise<ServiceProcess> => startWorker({ ...working, DATABASE_URL: app.databaseUrl });
  const workers = await Promise.all([worker(), worker()]);
  const [told] = await receiver.requests(1);
  const findings = await sentinel.findings('&kind=rate_spike');
  expect(findings).toMatchObject([
    { severity: 'critical', actual: 150, started_at: sentinel.at(sentinel.newest).toISOString() },
  ]);
  expect(JSON.parse(told?.body ?? '')).toMatchObject({ status: 'open', payload: { id: findings[0]?.id } });
  // Its run is written down when it is over.
  const run = await eventually(
    async () => {
      const { body } = await sentinel.send('get', `/v1/sentinel/workers?project_id=${owner.projectId}`);
      return (body as Json[]).find(({ name }) => name === 'sentinel');
    },
    (one) => one?.last_run_at !== null,
  );
  expect(run).toMatchObject({ state: 'healthy', interval_seconds: 60, due: 0 });
  expect(await Promise.all(workers.map((one) => one.stop()))).toEqual([CLEAN_EXIT, CLEAN_EXIT]);
  expect(receiver.received).toHaveLength(1);
});
