import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMigrations as migrateQueue } from 'bullmq';
import pg from 'pg';
import { runMigrations } from '../../src/platform/database/migrate.js';

export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to the database and drops it. */
  drop(): Promise<void>;
}

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
/** An arbitrary lock number. Workers that need the template at the same time wait while one of them builds it. */
const TEMPLATE_LOCK = 4_210_774;

/**
 * Creates a database with all migrations, the tables of the queue and the months of events that a first start creates.
 * The database is a copy of a template that is built once per set of migrations and month.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = `tpl_${migrationsHash()}_${monthName(0)}`;
  return asAdmin(async (admin) => {
    if (!(await databaseExists(admin, template))) await buildTemplate(admin, template);
    return createDatabase(admin, `TEMPLATE ${template} STRATEGY file_copy`);
  });
}

/** Creates an empty database, for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return asAdmin((admin) => createDatabase(admin, 'STRATEGY file_copy'));
}

async function createDatabase(admin: pg.ClientBase, options: string): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name} ${options}`);
  return {
    url: databaseUrl(name),
    drop: () =>
      asAdmin(async (other) => {
        // WITH (FORCE) would need rights over an autovacuum worker that may run there. A plain DROP cancels that
        // worker.
        await other.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
        await other.query(
          'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND usename = current_user',
          [name],
        );
        await other.query(`DROP DATABASE ${name}`);
      }),
  };
}

/** The template is renamed when it is complete, so that an interrupted build is never used as a template. */
async function buildTemplate(admin: pg.ClientBase, template: string): Promise<void> {
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await databaseExists(admin, template)) return;
    const draft = template.replace('tpl_', 'tpl_build_');
    await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${draft} STRATEGY file_copy`);
    await runMigrations(databaseUrl(draft));
    await makeWhatStartMakes(draft);
    // A template with open connections cannot be copied.
    await admin.query(`ALTER DATABASE ${draft} ALLOW_CONNECTIONS false`);
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

/**
 * Creates the tables that every application would otherwise create at its start, which takes half a second of processor
 * time each.
 */
async function makeWhatStartMakes(name: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(name) });
  await client.connect();
  try {
    await migrateQueue(client);
    for (const offset of [-1, 0, 1, 2, 3]) {
      await client.query(
        `CREATE TABLE events_${monthName(offset)} PARTITION OF events
         FOR VALUES FROM ('${monthStart(offset).toISOString()}') TO ('${monthStart(offset + 1).toISOString()}')`,
      );
    }
  } finally {
    await client.end();
  }
}

function monthStart(offset: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset));
}

/** Returns a month in the form of the service's partition names: `2026_03`. */
function monthName(offset: number): string {
  return monthStart(offset).toISOString().slice(0, 7).replace('-', '_');
}

async function databaseExists(admin: pg.ClientBase, name: string): Promise<boolean> {
  return (await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rowCount === 1;
}

/** Runs work on a connection that all spec files of a worker share. A connection takes 40 ms of processor time. */
async function asAdmin<T>(work: (admin: pg.ClientBase) => Promise<T>): Promise<T> {
  const admin = await administration().connect();
  let failure: Error | undefined;
  try {
    return await work(admin);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // A failed connection may hold the lock of the template.
    admin.release(failure);
  }
}

const ADMINISTRATION = Symbol.for('the connections to the administration database');

function administration(): pg.Pool {
  const worker = globalThis as { [ADMINISTRATION]?: pg.Pool };
  // The pool replaces a connection that the server ends, so its error needs no answer.
  worker[ADMINISTRATION] ??= new pg.Pool({
    connectionString: databaseUrl('postgres'),
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  }).on('error', () => undefined);
  return worker[ADMINISTRATION];
}

function databaseUrl(name: string): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run the tests through Jest with its global setup');
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}

/** Returns 16 hex digits of a hash over the names and contents of the migrations. */
function migrationsHash(): string {
  const hash = createHash('sha256');
  const entries = readdirSync(MIGRATIONS_FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(`${file.slice(MIGRATIONS_FOLDER.length)}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
