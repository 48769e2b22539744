import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Finding } from './finding.entity.js';

/** What other modules ask of findings. */
@Injectable()
export class FindingsReader {
  constructor(private readonly database: Database) {}

  /** Those that began in a window, in the order of time; `limit` at most. */
  begunIn(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    { from, to }: { readonly from: Date; readonly to: Date },
    limit: number,
    db: Db,
  ): Promise<Finding[]> {
    return this.database
      .repository(Finding, db)
      .createQueryBuilder('f')
      .where('f.project_id = :projectId', { projectId })
      .andWhere('f.started_at >= :from AND f.started_at < :to', { from, to })
      .orderBy('f.started_at')
      .addOrderBy('f.id')
      .limit(limit)
      .getMany();
  }
}
