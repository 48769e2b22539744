import type { Parameters } from '../../../platform/database/parameters.js';
import type { TimeWindow } from '../totals/index.js';
import { nameSql } from './names.repository.js';

/**
 * The relation `looked` of {@link figuresSql}: the events of spans, each of which is a part that begins with it.
 * @param project the place of its parameter
 * @param conditions each with ` AND ` before it
 * @param level wholes do without names
 */
export function lookedSql(
  project: string,
  spans: readonly TimeWindow[],
  conditions: string,
  parameters: Parameters,
  level: 'whole' | 'pairs',
): string {
  const [from, to] = [spans.map((span) => span.from), spans.map((span) => span.to)].map((list) =>
    parameters.bind(list),
  );
  const names =
    level === 'whole'
      ? `''::text AS method, ''::text AS endpoint`
      : `${nameSql('log_method')} AS method, ${nameSql('log_endpoint')} AS endpoint`;
  // Span by span along the primary key, whatever the planner takes a join by ranges for.
  return `looked AS MATERIALIZED (
         SELECT spans.starts AS part, found.* FROM unnest(${from}::timestamptz[], ${to}::timestamptz[]) AS spans (starts, ends)
         CROSS JOIN LATERAL (
           SELECT "timestamp" AS at, ${names}, log_status AS status, CASE WHEN log_has_latency THEN log_latency_ms END AS latency
           FROM events WHERE project_id = ${project} AND "timestamp" >= spans.starts AND "timestamp" < spans.ends${conditions}
           OFFSET 0) found)`;
}
