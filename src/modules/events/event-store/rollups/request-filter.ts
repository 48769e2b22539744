import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import { conditionsOf, copiedConditionsOf, type EventFilter } from '../totals/event-filter.js';

/** Selects requests by exact values of the event and of its log row. */
export interface RequestFilter {
  readonly event: EventFilter;
  /** In upper case. Undefined matches every method. */
  readonly method?: string;
  readonly endpoint?: string;
}

/** True when rollups can answer: they are only divided by time, method and endpoint. */
export function isOfRollups({ event }: RequestFilter): boolean {
  return Object.keys(event).length === 0;
}

/** True when the filter selects a method or an endpoint. */
export function isNamed({ method, endpoint }: RequestFilter): boolean {
  return method !== undefined || endpoint !== undefined;
}

/** Returns conditions on events. Each begins with ` AND `. */
export function requestConditions(filter: RequestFilter, parameters: Parameters): string {
  return (
    conditionsOf(filter.event, parameters) +
    namedConditions(filter, { method: 'log_method', endpoint: 'log_endpoint' }, parameters)
  );
}

/** Returns the same as {@link requestConditions}, for the rows `e` of ClickHouse. */
export function copiedRequestConditions({ event, method, endpoint }: RequestFilter, bind: BindValue): string {
  const named = { log_method: method, log_endpoint: endpoint };
  const tests = Object.entries(named).flatMap(([column, value]) =>
    value === undefined ? [] : [` AND e.${column} = ${bind(value, 'String')}`],
  );
  return copiedConditionsOf(event, bind) + tests.join('');
}

/** Returns conditions on method and endpoint for the given column names. Each begins with ` AND `. */
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
