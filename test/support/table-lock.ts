import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { TestApp } from './app.js';

const PAUSE_MS = 5;
const MOST_LOOKS = 4_000;

/** A table that a client has locked, so that reads of it wait. */
export interface TableLock {
  /** Waits until requests have statements that wait for the lock, or until none has. */
  until(what: 'waited for' | 'left alone'): Promise<void>;
  release(): Promise<void>;
}

/** Locks a table while the work runs, or until the work releases it. */
export async function lockedTable(
  app: TestApp,
  table: string,
  work: (lock: TableLock) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${client.escapeIdentifier(table)} IN ACCESS EXCLUSIVE MODE`);
    await work({
      until: (what) => until(app, rows[0]?.pid, what === 'waited for'),
      release: async () => {
        await client.query('ROLLBACK');
      },
    });
  } finally {
    await client.end();
  }
}

/** Only connections of requests count; the background work of the service has other connections. */
async function until(app: TestApp, holder: number | undefined, isWaitedFor: boolean): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const waiting = await app.rows(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
         AND application_name LIKE 'service-%' AND application_name <> 'service-background'
         AND $1 = ANY (pg_blocking_pids(pid)) LIMIT 1`,
      [holder],
    );
    if (waiting.length > 0 === isWaitedFor) return;
    await sleep(PAUSE_MS);
  }
  throw new Error(isWaitedFor ? 'No statement waits for the table' : 'Statements go on waiting for the table');
}
