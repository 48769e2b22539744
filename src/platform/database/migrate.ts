import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';

/**
 * The key of an advisory lock: any number that is the same in every version. Processes that start on one database wait
 * for each other on it.
 */
const MIGRATION_LOCK = 7_355_608;

/**
 * Applies missing migrations. Several instances may start at once: one migrates, and the others wait until the
 * migrations are applied.
 * @returns the names of the migrations applied by this call
 */
export async function runMigrations(url: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: url, keepAlive: true });
  // A lost connection makes the next query fail, and that error is more useful than the end of the process.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const source = new DataSource({
      type: 'postgres',
      url,
      migrations: [...MIGRATIONS],
      migrationsTransactionMode: 'each',
      poolSize: 2,
    });
    await source.initialize();
    try {
      return (await source.runMigrations()).map((migration) => migration.name);
    } finally {
      await source.destroy();
    }
  } finally {
    await lock.end();
  }
}
