import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';

/** Any fixed number, the same in every version: starters of one database wait for each other on it. */
const MIGRATION_LOCK = 7_355_608;

/**
 * Applies what is missing. Several instances may start at once: one migrates, the others wait and find it done.
 * @returns names of the migrations applied by this call
 */
export async function runMigrations(url: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: url, keepAlive: true });
  // What it is asked next fails, which says more than the end of the process.
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
