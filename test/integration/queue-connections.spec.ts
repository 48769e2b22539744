import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { QueueConnections } from '../../src/platform/queue/connections.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

describe('the connections of the queue', () => {
  let database: TestDatabase | undefined;
  let connections: QueueConnections | undefined;
  afterEach(async () => {
    await connections?.close();
    await database?.drop();
  });

  it('may be ended by the server while somebody holds one who does not listen to it', async () => {
    database = await createEmptyDatabase();
    connections = await QueueConnections.open({ backend: 'postgres', databaseUrl: database.url, runWorkers: false });
    const held = await connections.pool.connect();
    const { rows } = await held.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    // Not `once` of node:events, which listens to errors too.
    const ended = new Promise<void>((resolve) => void held.once('end', resolve));
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await other.end();
    await ended;
    held.release();
    expect((await connections.pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
