import type { Parameters } from '../../../../platform/database/parameters.js';
import type { TimeWindow } from '../totals/coverage.js';
import { uncopiedSql } from '../reading/uncopied-events.reader.js';
import { nameSql } from './names.repository.js';

export type LookedLevel = 'whole' | 'pairs';

/**
 * The grouped events of spans in ClickHouse, as a list for each column of `looked`. Events that are not replicated yet
 * are missing.
 */
export interface CopiedLooked {
  readonly projectId: string;
  readonly columns: Readonly<Record<LookedColumn, readonly unknown[]>>;
}

const COPIED_TYPES = {
  ...{ part: 'timestamptz', at: 'timestamptz', method: 'text', endpoint: 'text' },
  ...{ status: 'int', latency: 'int', n: 'int' },
} as const;
export type LookedColumn = keyof typeof COPIED_TYPES;
const COPIED_COLUMNS = Object.keys(COPIED_TYPES) as LookedColumn[];

/**
 * Returns the relation `looked` of {@link figuresSql}: the events of spans. Each span is a part, identified by its
 * start.
 * @param project the SQL parameter of the project id
 * @param conditions each begins with ` AND `
 * @param level `whole` needs no names
 * @param copied null reads all events from PostgreSQL
 */
export function lookedSql(
  project: string,
  spans: readonly TimeWindow[],
  conditions: string,
  parameters: Parameters,
  level: LookedLevel,
  copied: CopiedLooked | null = null,
): string {
  if (copied !== null) return copiedSql(project, spans, conditions, parameters, level, copied);
  const [from, to] = [spans.map((span) => span.from), spans.map((span) => span.to)].map((list) =>
    parameters.bind(list),
  );
  // LATERAL with OFFSET 0 reads span by span along the primary key. The planner could choose a slower join.
  return `looked AS MATERIALIZED (
         SELECT spans.starts AS part, found.* FROM unnest(${from}::timestamptz[], ${to}::timestamptz[]) AS spans (starts, ends)
         CROSS JOIN LATERAL (
           SELECT ${columnsSql(level)}
           FROM events WHERE project_id = ${project} AND "timestamp" >= spans.starts AND "timestamp" < spans.ends${conditions}
           OFFSET 0) found)`;
}

function columnsSql(level: LookedLevel): string {
  const names =
    level === 'whole'
      ? `''::text AS method, ''::text AS endpoint`
      : `${nameSql('log_method')} AS method, ${nameSql('log_endpoint')} AS endpoint`;
  return `"timestamp" AS at, ${names}, log_status AS status, CASE WHEN log_has_latency THEN log_latency_ms END AS latency, 1 AS n`;
}

function copiedSql(
  project: string,
  spans: readonly TimeWindow[],
  conditions: string,
  { bind }: Parameters,
  level: LookedLevel,
  { projectId, columns }: CopiedLooked,
): string {
  const lists = COPIED_COLUMNS.map((name) => `${bind(columns[name])}::${COPIED_TYPES[name]}[]`).join(', ');
  const [starts, ends] = [bind(spans.map(({ from }) => from)), bind(spans.map(({ to }) => to))];
  const whole = { from: spans[0]?.from ?? new Date(0), to: spans.at(-1)?.to ?? new Date(0) };
  const uncopied = uncopiedSql(projectId, whole, `e.project_id = ${project}${conditions}`, bind);
  return `looked AS MATERIALIZED (
         SELECT * FROM unnest(${lists}) AS copied (${COPIED_COLUMNS.join(', ')})
         UNION ALL
         SELECT (${starts}::timestamptz[])[place] AS part, ${columnsSql(level)}
         FROM (SELECT e.*, width_bucket(e."timestamp", ${starts}::timestamptz[]) AS place FROM ${uncopied}) placed
         WHERE place > 0 AND "timestamp" < (${ends}::timestamptz[])[place])`;
}
