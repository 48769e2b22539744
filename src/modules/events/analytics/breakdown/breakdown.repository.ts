import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { Dimension } from '../../totals/index.js';
import type { Division } from '../asking/division.js';
import { bucketSql, countedSql, type Source } from '../asking/gathered-events.reader.js';
import { KEY_ORDER, keyedSql, shortKeySql } from '../asking/keys.js';
import type { Question } from '../asking/question.js';
import type { Snapshot } from '../asking/snapshots.js';

export interface BreakdownRow {
  /** All events, those without a value, or those of one. */
  readonly part: 'total' | 'missing' | 'item';
  readonly key: string | null;
  readonly events: number;
  readonly errors: number;
  /** Of one value: events in the window before. Of all: how many values there are. */
  readonly more: number;
}

/** Adds up events by value. */
@Injectable()
export class BreakdownRepository {
  constructor(private readonly database: Database) {}

  /** The first values in their order, beside all there are: of one statement. */
  rows(
    question: Question,
    source: Source,
    division: Division,
    { by, limit }: { readonly by: string; readonly limit: number },
    snapshot: Snapshot,
  ): Promise<BreakdownRow[]> {
    const parameters = new Parameters();
    const base = baseOf(question, source, division, by, parameters.bind);
    const first = parameters.bind(division.first);
    const now = `FILTER (WHERE bucket = ${first}::int)`;
    return snapshot.rows<BreakdownRow>(
      `WITH found AS MATERIALIZED (
         SELECT key, (sum(events) ${now})::float8 AS events, (sum(errors) ${now})::float8 AS errors,
                coalesce(sum(events) FILTER (WHERE bucket < ${first}::int), 0)::float8 AS previous
         FROM (${base}) base GROUP BY key HAVING sum(events) ${now} > 0)
       SELECT 'total' AS part, NULL AS key, coalesce(sum(events), 0) AS events, coalesce(sum(errors), 0) AS errors,
              (count(*) FILTER (WHERE key <> ''))::float8 AS more FROM found
       UNION ALL SELECT 'missing', NULL, events, errors, 0 FROM found WHERE key = ''
       UNION ALL (SELECT 'item', key, events, errors, previous FROM found WHERE key <> ''
                  ORDER BY events DESC, ${KEY_ORDER} LIMIT ${parameters.bind(limit)})`,
      parameters,
    );
  }

  /** Names of these Event Sources by id; those that are gone are missing. */
  async sourceNames(scope: Question['scope'], ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.rows<{ id: string; name: string }>(
      'SELECT id, name FROM event_sources WHERE project_id = $1 AND id = ANY ($2::uuid[])',
      [scope.projectId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

function baseOf(question: Question, source: Source, division: Division, by: string, bind: Bind): string {
  if (source.type === 'counted') {
    const counted = countedSql(question, source.coverage, [by as Dimension], bind);
    return `SELECT bucket, ${shortKeySql(by)} AS key, events, errors FROM (${counted}) counted`;
  }
  const { value, key } = keyedSql(by, bind);
  return `SELECT bucket, ${key('held')} AS key, events, errors FROM (
            SELECT ${bucketSql(division, bind)} AS bucket, ${value} AS held, count(*) AS events,
                   count(*) FILTER (WHERE e.log_status >= 500) AS errors
            FROM ${source.events(bind)} /* tenant: the events found are of one project */ GROUP BY 1, 2) gathered`;
}
