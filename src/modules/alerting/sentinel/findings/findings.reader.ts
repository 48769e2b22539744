import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { LISTED_COLUMNS, type ListedFinding } from './finding-columns.js';

/** Reads findings for other modules. */
@Injectable()
export class FindingsReader {
  constructor(private readonly database: Database) {}

  /** Returns the findings that began in a window, in chronological order, at most `limit`. */
  begunIn(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    { from, to }: { readonly from: Date; readonly to: Date },
    limit: number,
    db: Db,
  ): Promise<ListedFinding[]> {
    return this.database.rows<ListedFinding>(
      `SELECT ${LISTED_COLUMNS} FROM sentinel_findings f
       WHERE f.project_id = $1 AND f.started_at >= $2 AND f.started_at < $3 ORDER BY f.started_at, f.id LIMIT $4`,
      [projectId, from, to, limit],
      db,
    );
  }
}
