import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type EntityTarget, getMetadataArgsStorage, type MixedList, type ObjectLiteral } from 'typeorm';
import { AppModule } from '../app.module.js';
import { runMigrations } from '../platform/database/migrate.js';
import { startEmbeddedPostgres } from '../embedded-postgres/index.js';

/** Foreign keys live in migrations alone (relations across modules are id columns), so entities never mention them. */
const FOREIGN_KEY_DROP = /DROP CONSTRAINT "fk_/;

/** What TypeORM would still change on a migrated database to make it fit the entities; empty when they agree. */
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

/** Every class that any module of the application decorates as an entity. */
function allEntities(): EntityTarget<ObjectLiteral>[] {
  const targets = getMetadataArgsStorage().tables.map((table) => table.target as EntityTarget<ObjectLiteral>);
  if (targets.length === 0) throw new Error(`${AppModule.name} brought no entities along`);
  return targets;
}

/** All migrations on an empty database, then the comparison. @returns the exit code */
export async function reportDrift(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'drift-'));
  // As root, the database runs as another user, who has to pass through.
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
