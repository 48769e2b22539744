import { sql } from './sql.js';

/**
 * Stores the size of some events of a project, as ingestion does. `insertEvents` leaves the size out, like events of
 * earlier versions. No route stores an event with a given time and a given id.
 */
export async function storeSizes(projectId: string, ids: readonly string[]): Promise<void> {
  await sql('UPDATE events SET bytes = octet_length(properties::text) WHERE project_id = $1 AND id = ANY ($2)', [
    projectId,
    ids,
  ]);
}
