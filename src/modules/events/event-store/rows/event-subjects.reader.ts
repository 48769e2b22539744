import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { type FilterSubject, type SubjectRow, subjectSql } from '../../conditions/index.js';

/** Reads the fields of single events that filters evaluate. */
@Injectable()
export class EventSubjectsReader {
  constructor(private readonly database: Database) {}

  /** Returns an event with the given fields only. Null when the event was deleted. */
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
