import { sql } from './sql.js';

/**
 * Stores the size of some events of a project, as ingestion does. `insertEvents` leaves the size out, as events of earlier
 * versions have none; no route stores an event at a time with the id that a test needs.
 */
export async function storeSizes(projectId: string, ids: readonly string[]): Promise<void> {
  await sql('UPDATE events SET bytes = octet_length(properties::text) WHERE project_id = $1 AND id = ANY ($2)', [
    projectId,
    ids,
  ]);
}
