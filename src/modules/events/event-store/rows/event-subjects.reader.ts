import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { type FilterSubject, type SubjectRow, subjectSql } from '../../conditions/index.js';

/** What filters look at of single events. */
@Injectable()
export class EventSubjectsReader {
  constructor(private readonly database: Database) {}

  /** An event with these fields and no more; null: it is gone. */
  async of(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    event: { readonly id: string; readonly timestamp: Date },
    fields: readonly string[],
    db: Db,
  ): Promise<FilterSubject | null> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    const { columns, read } = subjectSql(fields, bind);
    const at = `${bind(event.timestamp)}::timestamptz`;
    const [row] = await this.database.rows<SubjectRow>(
      `SELECT ${columns} FROM events e
       WHERE e.project_id = ${bind(projectId)} AND e.id = ${bind(event.id)}
         AND e."timestamp" >= ${at} AND e."timestamp" < ${at} + interval '1 millisecond'`,
      parameters.values,
      db,
    );
    return row === undefined ? null : read(row);
  }
}
