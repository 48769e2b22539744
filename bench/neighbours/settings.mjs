// The settings, table and statement that the neighbours share.
import { once } from 'node:events';
import pg from 'pg';

export const POOL_SIZE = 20;

export function makePool() {
  return new pg.Pool({ connectionString: process.env.DATABASE_URL, max: POOL_SIZE });
}

/** The table of the neighbours that only insert. */
export const TABLE = `
  CREATE TABLE IF NOT EXISTS plain_events (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    event text NOT NULL,
    source text NOT NULL,
    severity text,
    environment text,
    message text,
    properties jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`;

export const INSERT = {
  name: 'insert-event',
  text: `INSERT INTO plain_events (id, event, source, severity, environment, message, properties)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
};

export function valuesOf(id, { event_type, source, severity, environment, message, payload }) {
  return [id, event_type, source, severity, environment, message, JSON.stringify(payload)];
}

/** Prints the address of the server for the bench. */
export async function announce(server) {
  if (!server.listening) await once(server, 'listening');
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
}
