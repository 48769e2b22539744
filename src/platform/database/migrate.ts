import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, MigrationExecutor } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';
import { errorMessage } from '../errors/index.js';
import { waitForDatabase } from './wait-for-database.js';

/**
 * The key of an advisory lock, for which processes that start on the same database wait. The number is arbitrary, but
 * must be the same in every version.
 */
const MIGRATION_LOCK = 7_355_608;

const WAIT_POLL_MS = 1_000;
const WAIT_LOG_INTERVAL_MS = 30_000;

/** The migrations of a database, compared with those of this program. */
export interface MigrationState {
  /** Migrations of this program that are not applied, in order. */
  readonly missing: readonly string[];
  /** Applied migrations that this program does not have: a newer program applied them. */
  readonly unknown: readonly string[];
}

/** The schema cannot be used as it is. The message is one sentence for the operator. */
export class SchemaRefused extends Error {}

/** A migration failed. The message is one sentence for the operator. */
export class MigrationFailed extends Error {}

/**
 * Applies missing migrations, each in a transaction of its own. Several processes may start at once: one migrates, and
 * the others wait until the migrations are applied.
 * @returns the names of the migrations applied by this call
 * @throws SchemaRefused before any change when another version has changed the schema and a migration is missing
 * @throws MigrationFailed when a migration fails, which leaves the earlier ones applied
 */
export async function runMigrations(url: string): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: [...MIGRATIONS],
    poolSize: 2,
    extra: { keepAlive: true },
  });
  await source.initialize();
  try {
    // The lock and the migrations share one session, so a process that has lost the lock cannot change anything.
    const runner = source.createQueryRunner();
    const read = async (): Promise<MigrationState> => readState(async (sql) => runner.query(sql));
    try {
      await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const before = await read();
      if (before.missing.length === 0) return [];
      refuseForeign(before);
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = 'each';
      try {
        return (await executor.executePendingMigrations()).map(({ name }) => name);
      } catch (error) {
        throw new MigrationFailed(sentenceOf(error, await read().catch(() => null)), { cause: error });
      }
    } finally {
      await runner.release();
    }
  } finally {
    await source.destroy();
  }
}

/** Compares the migrations of the database with those of this program. An empty database lacks all of them. */
export async function migrationStateOf(url: string): Promise<MigrationState> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A lost connection makes the next query fail, so its event needs no handling. Without a listener, the event would
  // end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await readState(async (sql) => (await client.query(sql)).rows as unknown[]);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws SchemaRefused when a migration is missing */
export function refuseMissing({ missing }: MigrationState): void {
  if (missing.length === 0) return;
  throw new SchemaRefused(
    `The database lacks migrations of this version, beginning with ${missing[0]}: run the command "migrate", or set MIGRATE_ON_START to on.`,
  );
}

/**
 * Waits until another process has applied every migration.
 * @param options.onWait called with the state when the wait begins, and every half minute
 * @param options.signal ends the wait, which then rejects with an AbortError
 */
export async function waitForMigrations(
  url: string,
  options: { readonly signal: AbortSignal | undefined; onWait(state: MigrationState): void },
): Promise<MigrationState> {
  let loggedAt = -Infinity;
  for (;;) {
    const state = await migrationStateOf(url);
    if (state.missing.length === 0) return state;
    refuseForeign(state);
    if (performance.now() - loggedAt >= WAIT_LOG_INTERVAL_MS) {
      loggedAt = performance.now();
      options.onWait(state);
    }
    await pause(WAIT_POLL_MS, undefined, { signal: options.signal });
    // The database may restart during a long wait.
    await waitForDatabase(url);
  }
}

async function readState(query: (sql: string) => Promise<unknown>): Promise<MigrationState> {
  const [table] = (await query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)) as { exists: boolean }[];
  const rows =
    table?.exists === true ? ((await query('SELECT name FROM migrations ORDER BY id')) as { name: string }[]) : [];
  const applied = new Set(rows.map(({ name }) => name));
  const known: readonly string[] = MIGRATIONS.map((migration) => new migration().name);
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  };
}

/** Each migration is tested only on the schema of its own version. */
function refuseForeign({ missing, unknown }: MigrationState): void {
  if (missing.length === 0 || unknown.length === 0) return;
  throw new SchemaRefused(
    `The database was migrated by another version, which applied ${unknown.at(-1)}, and lacks ${missing[0]} of this version: start a version that has both.`,
  );
}

function sentenceOf(error: unknown, after: MigrationState | null): string {
  const reason = errorMessage(error);
  return after === null
    ? `The connection to the database was lost while migrations were applied (${reason}): start again, which continues with the first migration that is not applied.`
    : `The migration ${after.missing[0]} failed (${reason}) and changed nothing, while those before it are applied: remove the cause and start again, which continues with this migration.`;
}
