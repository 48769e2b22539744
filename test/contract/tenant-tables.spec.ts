import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EVENT_COUNTERS, EVENT_ROWS, NOBODYS_TABLES, PARENTS, TENANT_TABLES } from '../../lint/index.mjs';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

describe('the tables of tenants', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('are those of the migrated schema, each by the columns that name its tenant', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows: found } = await client.query<{ name: string; columns: string[] }>(
      `SELECT c.relname AS name, coalesce(array_agg(a.attname ORDER BY a.attnum) FILTER (WHERE a.attname IN
         ('project_id', 'organization_id', 'user_id')), '{}')::text[] AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
       GROUP BY 1 ORDER BY 1`,
    );
    await client.end();
    const itself = { projects: ['id', 'organization_id'], organizations: ['id'], users: ['id'] };
    const tenants = Object.fromEntries(
      found.filter((one) => one.columns.length > 0).map((one) => [one.name, one.columns]),
    );
    expect(TENANT_TABLES).toEqual({ ...tenants, ...itself });
    const others = found
      .filter(({ name, columns }) => columns.length === 0 && !(name in itself))
      .map(({ name }) => name);
    expect([...Object.keys(PARENTS), ...NOBODYS_TABLES].sort()).toEqual(others);
    for (const parent of Object.values(PARENTS)) expect(TENANT_TABLES).toHaveProperty(parent);
  });
});

describe('the tables of events', () => {
  it('are tables of the schema', () => {
    const known = [...Object.keys(TENANT_TABLES), ...NOBODYS_TABLES, 'events_default'];
    expect(known).toEqual(expect.arrayContaining([...EVENT_ROWS, ...EVENT_COUNTERS]));
  });
});
