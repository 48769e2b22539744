import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import { conditionsOf, copiedConditionsOf, type EventFilter } from '../totals/event-filter.js';

/** Which requests: exact values of the event, and of its log row. */
export interface RequestFilter {
  readonly event: EventFilter;
  /** Upper case; undefined: every method. */
  readonly method?: string;
  readonly endpoint?: string;
}

/** Rollups of hours know no value of the event but its time. */
export function isOfRollups({ event }: RequestFilter): boolean {
  return Object.keys(event).length === 0;
}

/** Whether single pairs of method and endpoint are asked for. */
export function isNamed({ method, endpoint }: RequestFilter): boolean {
  return method !== undefined || endpoint !== undefined;
}

/** Conditions on events, each with ` AND ` before it. */
export function requestConditions(filter: RequestFilter, parameters: Parameters): string {
  return (
    conditionsOf(filter.event, parameters) +
    namedConditions(filter, { method: 'log_method', endpoint: 'log_endpoint' }, parameters)
  );
}

/** As {@link requestConditions}, of the rows `e` of ClickHouse. */
export function copiedRequestConditions({ event, method, endpoint }: RequestFilter, bind: BindValue): string {
  const named = { log_method: method, log_endpoint: endpoint };
  const tests = Object.entries(named).flatMap(([column, value]) =>
    value === undefined ? [] : [` AND e.${column} = ${bind(value, 'String')}`],
  );
  return copiedConditionsOf(event, bind) + tests.join('');
}

/** Conditions on method and endpoint under the names of their columns, each with ` AND ` before it. */
export function namedConditions(
  filter: RequestFilter,
  columns: Readonly<Record<'method' | 'endpoint', string>>,
  parameters: Parameters,
): string {
  return (['method', 'endpoint'] as const)
    .filter((name) => filter[name] !== undefined)
    .map((name) => ` AND ${columns[name]} = ${parameters.bind(filter[name])}`)
    .join('');
}
