import type { TestApp } from './app.js';

/**
 * Returns every row of every table, the metrics and every log line: all data that an instance stores or reports about
 * itself.
 */
export async function everythingKept(app: TestApp): Promise<string> {
  const tables = await app.rows<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const rows = await Promise.all(tables.map(({ name }) => app.rows(`SELECT t::text FROM ${name} t`)));
  const metrics = await app.metrics();
  return [JSON.stringify(rows), metrics, ...app.logLines].join('\n');
}
