import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { SlugsWithoutCase1802700000000 } from '../../migrations/1802700000000-slugs-without-case.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { runMigrations } from '../../src/platform/database/migrate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

const id = (n: number): string => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe('a slug that is older than the comparison without case', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    const earlier = MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex((migration) => migration === SlugsWithoutCase1802700000000),
    );
    const source = new DataSource({ type: 'postgres', url: database.url, migrations: [...earlier] });
    await source.initialize();
    await source.runMigrations();
    await source.destroy();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`INSERT INTO users (id, email, email_key) VALUES ($1, 'a@example.com', 'a@example.com')`, [
      id(1),
    ]);
    const long = 'x'.repeat(199);
    for (const [n, slug] of [
      [1, 'acme'],
      [2, 'Acme'],
      [3, 'ACME'],
      [4, `${long}y`],
      [5, `${long}Y`],
      [6, '-'],
    ] as const) {
      await client.query(
        `INSERT INTO organizations (id, name, slug, owner_id, created_at) VALUES ($1, 'A', $2, $3, now() - make_interval(days => $4))`,
        [id(n), slug, id(1), n === 2 ? 9 : 0],
      );
    }
    for (const [n, organization, slug, isDeleted] of [
      [1, 1, 'shop', false],
      [2, 1, 'SHOP', false],
      [3, 1, 'Shop', true],
      [4, 2, 'Shop', false],
    ] as const) {
      await client.query(
        `INSERT INTO projects (id, organization_id, name, slug, owner_id, archived_at, deleted_at)
         VALUES ($1, $2, 'P', $3, $4, CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN now() END)`,
        [id(n), id(organization), slug, id(1), isDeleted],
      );
    }
    await runMigrations(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const slugsOf = async (table: string): Promise<string[]> =>
    (await client.query<{ slug: string }>(`SELECT slug FROM ${table} ORDER BY id`)).rows.map(({ slug }) => slug);

  it('is kept by the oldest, and gets a unique ending where several differ in case alone', async () => {
    expect(await slugsOf('organizations')).toEqual([
      `acme-${id(1)}`,
      'Acme',
      `ACME-${id(3)}`,
      `${'x'.repeat(199)}y`,
      `${'x'.repeat(163)}-${id(5)}`,
      '-',
    ]);
    expect(await slugsOf('projects')).toEqual(['shop', `SHOP-${id(2)}`, 'Shop', 'Shop']);
  });
});
