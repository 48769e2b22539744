import { MIGRATIONS } from '../../../migrations/index.js';
import type { Database } from './database.js';

/** Returns whether every migration of this version is applied. */
export async function isMigrated(database: Database): Promise<boolean> {
  const rows = await database.rows<{ name: string }>('SELECT name FROM migrations');
  const applied = new Set(rows.map((row) => row.name));
  return MIGRATIONS.every((migration) => applied.has(new migration().name));
}
