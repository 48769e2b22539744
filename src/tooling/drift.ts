import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type EntityTarget, getMetadataArgsStorage, type MixedList, type ObjectLiteral } from 'typeorm';
import { AppModule } from '../app.module.js';
import { runMigrations } from '../platform/database/migrate.js';
import { startEmbeddedPostgres } from '../embedded-postgres/index.js';

/** Only migrations declare foreign keys, since relations across modules are id columns. Entities never mention them. */
const FOREIGN_KEY_DROP = /DROP CONSTRAINT "fk_/;

/**
 * Returns the statements by which TypeORM would change a migrated database to match the entities; empty when they
 * agree.
 */
export async function findDrift(url: string): Promise<string[]> {
  const source = new DataSource({ type: 'postgres', url, entities: allEntities() as MixedList<() => void> });
  await source.initialize();
  try {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query).filter((query) => !FOREIGN_KEY_DROP.test(query));
  } finally {
    await source.destroy();
  }
}

/** Returns every class that a module of the application decorates as an entity. */
function allEntities(): EntityTarget<ObjectLiteral>[] {
  const targets = getMetadataArgsStorage().tables.map((table) => table.target as EntityTarget<ObjectLiteral>);
  if (targets.length === 0) throw new Error(`${AppModule.name} brought no entities along`);
  return targets;
}

/** Applies all migrations to an empty database and compares it with the entities. @returns the exit code */
export async function reportDrift(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'drift-'));
  // Under root, the database runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, dataDirIsDefault: false, durable: false });
  try {
    await runMigrations(postgres.url);
    const drift = await findDrift(postgres.url);
    for (const query of drift) process.stdout.write(`${query}\n`);
    process.stdout.write(
      drift.length === 0 ? 'Entities and migrations agree.\n' : 'Entities and migrations differ: write a migration.\n',
    );
    return drift.length === 0 ? 0 : 1;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
