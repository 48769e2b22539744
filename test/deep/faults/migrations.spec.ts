import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS } from '../../../migrations/index.js';
import { UniqueEvents1802800000000 } from '../../../migrations/1802800000000-unique-events.js';
import { commandLine } from '../../support/cli-process.js';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { databaseBefore } from '../../support/old-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import {
  CLEAN_EXIT,
  type Exit,
  eventually,
  launch,
  REFUSED_CONFIGURATION,
  type ServiceProcess,
} from '../../support/service-process.js';

const FAILED: Exit = { code: 1, signal: null };
const EVERY = MIGRATIONS.map((migration) => migration.name);
const FIRST_MISSING = UniqueEvents1802800000000.name;
const EARLIER = EVERY.slice(0, EVERY.indexOf(FIRST_MISSING));
const MISSING = EVERY.length - EARLIER.length;

let database: TestDatabase;
let dataDir: string;

beforeEach(async () => {
  dataDir = await temporaryFolder();
});
afterEach(async () => {
  await cleanUp();
  await database.drop();
});

const start = (mode?: string): ServiceProcess =>
  launch({ env: { DATABASE_URL: database.url, DATA_DIR: dataDir, ...(mode && { MIGRATE_ON_START: mode }) } });
/** The mode of a start does not change what the command does. */
const migrate = (...options: string[]): ServiceProcess =>
  launch({
    env: { DATABASE_URL: database.url, DATA_DIR: dataDir, MIGRATE_ON_START: 'off' },
    command: commandLine('migrate', ...options),
  });

async function applied(): Promise<string[]> {
  const rows = await query(database.url, 'SELECT name FROM migrations ORDER BY id');
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** Everything in the schema that a migration can change. */
function schema(): Promise<unknown[]> {
  return query(
    database.url,
    `SELECT attrelid::regclass::text AS name, attname, atttypid::regtype::text AS type FROM pg_attribute a
       JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace
     UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT proname, prosrc, oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     ORDER BY 1, 2, 3`,
  );
}

/** The command logs to standard error, and the service to standard output. */
function hasMigrated({ stdout, stderr }: ServiceProcess): boolean {
  return `${stdout}${stderr}`.includes('"message":"migrations applied"');
}

/** Waits until this many sessions wait for a lock of the kind. */
function waitingFor(kind: 'advisory' | 'relation', count: number): Promise<unknown> {
  return eventually(
    () =>
      query(
        database.url,
        `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE NOT granted AND locktype = '${kind}' AND datname = current_database()`,
      ),
    (rows) => rows.length === count,
  );
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  cleanups.push(() => client.end());
  return client;
}

describe('a start on the schema of an older version', () => {
  beforeEach(async () => {
    database = await databaseBefore(UniqueEvents1802800000000);
  });

  it('exits with 78 and one sentence with MIGRATE_ON_START=off, and changes nothing', async () => {
    const refused = start('off');
    expect(await refused.end()).toEqual(REFUSED_CONFIGURATION);
    expect(refused.stderr).toBe(
      `The database lacks migrations of this version, beginning with ${FIRST_MISSING}: run the command "migrate", or set MIGRATE_ON_START to on.\n`,
    );
    expect(await applied()).toEqual(EARLIER);

    const migration = migrate();
    expect(await migration.end()).toEqual(CLEAN_EXIT);
    expect(migration.stdout).toContain('The database has every migration.\n');
    const started = start('off');
    await started.printed('"message":"listening"');
    expect(await started.stop()).toEqual(CLEAN_EXIT);
  });

  it('waits with MIGRATE_ON_START=wait until another process has migrated, or until SIGTERM', async () => {
    const [patient, stopped] = [start('wait'), start('wait')];
    const waits = 'waiting until another process has applied the migrations';
    await Promise.all([patient.printed(waits), stopped.printed(waits)]);
    expect(patient.stdout).toContain(`"missing":${MISSING},"next":"${FIRST_MISSING}"`);
    expect(await stopped.stop()).toEqual(CLEAN_EXIT);
    expect(await applied()).toEqual(EARLIER);

    expect(await migrate().end()).toEqual(CLEAN_EXIT);
    await patient.printed('"message":"listening"');
    expect(await patient.stop()).toEqual(CLEAN_EXIT);
  });

  it('ends with one sentence when a migration fails, changes nothing by it, and continues at the next start', async () => {
    // The name is taken, so the second statement of the migration fails.
    await query(database.url, 'CREATE TABLE ix_unique_events_created_at ()');
    const before = await schema();
    const failed = start();
    expect(await failed.end()).toEqual(FAILED);
    expect(failed.stderr).toBe(
      `The migration ${FIRST_MISSING} failed (relation "ix_unique_events_created_at" already exists) and changed nothing, while those before it are applied: remove the cause and start again, which continues with this migration.\n`,
    );
    expect(await applied()).toEqual(EARLIER);
    expect(await schema()).toEqual(before);

    await query(database.url, 'DROP TABLE ix_unique_events_created_at');
    const next = start();
    await next.printed('"message":"listening"');
    expect(await applied()).toEqual(EVERY);
    expect(await next.stop()).toEqual(CLEAN_EXIT);
  });

  it('has one of several processes migrate when they start together', async () => {
    const processes = [migrate(), migrate(), start(), start()];
    const [first, second, ...services] = processes;
    expect(await Promise.all([first?.end(), second?.end()])).toEqual([CLEAN_EXIT, CLEAN_EXIT]);
    for (const service of services) await service.printed('"message":"listening"');
    expect(await applied()).toEqual(EVERY);
    expect(processes.filter(hasMigrated)).toHaveLength(1);
    for (const service of services) expect(await service.stop()).toEqual(CLEAN_EXIT);
  });

  it('has another process continue when the migrating one is killed in the middle of a migration', async () => {
    const holder = await connected();
    await holder.query('BEGIN; LOCK TABLE event_sources IN ACCESS EXCLUSIVE MODE');
    const victim = migrate();
    await waitingFor('relation', 1);
    const others = [migrate(), migrate()];
    await waitingFor('advisory', 2);
    const half = await applied();
    expect(half.length).toBeGreaterThan(EARLIER.length);
    expect(half.length).toBeLessThan(EVERY.length);

    expect(await victim.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await holder.query('ROLLBACK');
    expect(await Promise.all(others.map((one) => one.end()))).toEqual([CLEAN_EXIT, CLEAN_EXIT]);
    expect(await applied()).toEqual(EVERY);
    expect(others.filter(hasMigrated)).toHaveLength(1);
  });
});

describe('a database that a newer version has migrated', () => {
  const markNewer = (): Promise<unknown[]> =>
    query(
      database.url,
      `INSERT INTO migrations (timestamp, name) VALUES (1999000000000, 'FromTheFuture1999000000000')`,
    );

  it('is left unchanged by the command, which replicates no events, and served by a start', async () => {
    database = await createTestDatabase();
    await markNewer();
    const before = await schema();
    const migration = migrate();
    expect(await migration.end()).toEqual(CLEAN_EXIT);
    expect(migration.stdout).toBe(
      'The database is newer than this version and was not changed: this version does not know its migration FromTheFuture1999000000000.\n',
    );
    const copying = migrate('--event-store');
    expect(await copying.end()).toEqual(FAILED);
    expect(copying.stderr).toBe(
      'The events were not copied: use the version that has every migration of the database.\n',
    );
    expect(await schema()).toEqual(before);
    const service = start();
    await service.printed('"message":"listening"');
    expect(service.stdout).toContain('"message":"the database is newer than this version"');
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });

  it('is refused unchanged while it lacks a migration of this version', async () => {
    database = await databaseBefore(UniqueEvents1802800000000);
    await markNewer();
    const before = await schema();
    for (const refused of [migrate(), start('on'), start('wait')]) {
      expect(await refused.end()).toEqual(REFUSED_CONFIGURATION);
      expect(refused.stderr).toBe(
        `The database was migrated by another version, which applied FromTheFuture1999000000000, and lacks ${FIRST_MISSING} of this version: start a version that has both.\n`,
      );
    }
    expect(await schema()).toEqual(before);
    expect(await applied()).toEqual([...EARLIER, 'FromTheFuture1999000000000']);
  });
});
