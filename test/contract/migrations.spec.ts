import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS } from '../../migrations/index.js';
import { runMigrations } from '../../src/platform/database/migrate.js';
import { findDrift } from '../../src/tooling/drift.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

describe('the migration of a database', () => {
  let database: TestDatabase | undefined;

  afterEach(async () => {
    await database?.drop();
    database = undefined;
  });

  const query = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: database?.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  it('includes all files in order, under names with their time', () => {
    const files = readdirSync(new URL('../../migrations', import.meta.url)).filter((name) => /^\d/.test(name));
    expect(files.sort().map((name) => name.slice(0, 13))).toEqual(
      MIGRATIONS.map((migration) => migration.name.slice(-13)),
    );
    for (const migration of MIGRATIONS) expect(new migration().name).toBe(migration.name);
  });

  it('runs once when several instances start together on an empty database', async () => {
    database = await createEmptyDatabase();
    const { url } = database;
    const applied = await Promise.all([runMigrations(url), runMigrations(url), runMigrations(url)]);
    expect(applied.flat().sort()).toEqual(MIGRATIONS.map((migration) => migration.name).sort());
    expect(await runMigrations(url)).toEqual([]);
  });

  it('creates the whole schema of the entities, and a difference is noticed', async () => {
    database = await createTestDatabase();
    expect(await findDrift(database.url)).toEqual([]);
    await query('ALTER TABLE api_keys DROP COLUMN expires_at');
    expect((await findDrift(database.url)).join('\n')).toContain('expires_at');
  });

  it('partitions events by month, with every index beginning at the project', async () => {
    database = await createEmptyDatabase();
    await runMigrations(database.url);
    expect(
      await query(
        `SELECT partstrat, pg_get_partkeydef(partrelid) AS key FROM pg_partitioned_table WHERE partrelid = 'events'::regclass`,
      ),
    ).toEqual([{ partstrat: 'r', key: 'RANGE ("timestamp")' }]);
    expect(
      await query(
        `SELECT relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = 'events'::regclass`,
      ),
    ).toEqual([{ relname: 'events_default' }]);
    const indexes = await query<{ name: string; first: string }>(
      `SELECT i.indexrelid::regclass::text AS name, a.attname AS first FROM pg_index i
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indrelid = 'events'::regclass`,
    );
    expect(indexes.map(({ first }) => first)).toEqual(indexes.map(() => 'project_id'));
    expect(indexes.map(({ name }) => name).sort()).toEqual([
      'ix_events_project_id_event_timestamp',
      'ix_events_project_id_id',
      'ix_events_project_id_source_id_timestamp',
      'pk_events',
    ]);
  });

  it('gives every constraint a name that begins with its type', async () => {
    database = await createTestDatabase();
    const constraints = await query<{ conname: string }>(
      `SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
       AND conparentid = 0 AND conrelid <> 'migrations'::regclass`,
    );
    expect(
      constraints.map(({ conname }) => conname).filter((name) => !/^(pk|uq|fk|ck)_[a-z0-9_]+$/.test(name)),
    ).toEqual([]);
  });
});
