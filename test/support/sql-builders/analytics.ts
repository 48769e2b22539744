import { sql } from './sql.js';

/**
 * Counts the stored events of a project, and the failed ones among them. Routes may answer from the counters of
 * ingestion, which a test compares with the rows.
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
