import { sql } from './sql.js';

/**
 * How many events of a project are stored, and how many of them failed. Routes may answer from the counts that ingestion keeps,
 * and a test compares these with the rows.
 */
export async function storedTotals(
  projectId: string,
  range: '24h' | 'all',
): Promise<{ events: number; errors: number }> {
  const [totals] = await sql<{ events: number; errors: number }>(
    `SELECT count(*)::int AS events, (count(*) FILTER (WHERE log_status >= 500))::int AS errors FROM events
     WHERE project_id = $1 AND ($2 = 'all' OR "timestamp" >= now() - interval '24 hours')`,
    [projectId, range],
  );
  return totals ?? { events: 0, errors: 0 };
}
