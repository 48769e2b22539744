import type { MigrationInterface } from 'typeorm';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { createEmptyDatabase, type TestDatabase } from './postgres.js';

/** Creates a database with the migrations before the given one, as an older version has left it. */
export async function databaseBefore(migration: new () => MigrationInterface): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await migrateUpTo(database.url, migration);
  return database;
}

/** Applies the migrations before the given one to an empty database. */
async function migrateUpTo(url: string, migration: new () => MigrationInterface): Promise<void> {
  const count = MIGRATIONS.findIndex((one) => one === migration);
  const source = new DataSource({ type: 'postgres', url, migrations: MIGRATIONS.slice(0, count) });
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.destroy();
}
