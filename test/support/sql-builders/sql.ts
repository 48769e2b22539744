import pg from 'pg';
import { service } from '../running-service.js';

let opened: pg.Pool | undefined;

/**
 * Runs a statement on the database of the service. Specs do not call it: a builder or a reader in this folder has a
 * name, and a comment that says why no route does the same.
 */
export async function sql<Row>(statement: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  return (await pool().query(statement, [...parameters])).rows as Row[];
}

/** Like {@link sql}, for a large statement that a file runs often: PostgreSQL plans it once. */
export async function preparedSql<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
  return (await pool().query({ name, text, values: [...values] })).rows as Row[];
}

/**
 * Returns the values of rows as one text. Bytes are read as characters, so that a secret in a `bytea` column is found.
 */
export function asText(rows: readonly object[]): string {
  const readable = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString('latin1') : value);
  return JSON.stringify(rows.map((row) => Object.values(row).map(readable)));
}

function pool(): pg.Pool {
  if (opened !== undefined) return opened;
  opened = new pg.Pool({ connectionString: service.databaseUrl, max: 2, allowExitOnIdle: true });
  // The end of the run drops the database and with it idle connections. A statement that needs a connection fails by
  // itself.
  return opened.on('error', () => undefined);
}
