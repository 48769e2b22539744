import { sql } from './sql.js';

/**
 * Returns the properties of the events of a project as the database stores them, the oldest event first. Routes parse
 * the properties and serialize them again.
 */
export async function storedProperties(projectId: string): Promise<string[]> {
  const rows = await sql<{ properties: string }>(
    'SELECT properties::text AS properties FROM events WHERE project_id = $1 ORDER BY id',
    [projectId],
  );
  return rows.map(({ properties }) => properties);
}
