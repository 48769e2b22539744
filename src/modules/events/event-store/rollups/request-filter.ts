import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { EventCondition } from '../../eql-language/index.js';
import { conditionsOf, clickHouseConditionsOf, type EventFilter } from '../totals/event-filter.js';

/** The derived method of an event that names no method, so that it is no request. */
const NO_REQUEST = 'EVENT';

const LOG_COLUMNS = { method: 'log_method', endpoint: 'log_endpoint' };

/** Selects requests by values of the event and of its log row, and decides by which name they are grouped. */
export interface RequestFilter {
  readonly event: EventFilter;
  /** In upper case. Undefined matches every method. */
  readonly method?: string;
  readonly endpoint?: string;
  /** Leaves out events that are no requests. */
  readonly isOfRequests?: boolean;
  readonly where?: EventCondition;
  /** Requests are grouped by their route in place of their endpoint. `endpoint` still selects by the endpoint. */
  readonly isByRoute?: boolean;
}

/** True when rollups can answer: they are only divided by time, method and endpoint. */
export function isOfRollups(filter: RequestFilter): boolean {
  return Object.keys(filter.event).length === 0 && !isOfEvents(filter);
}

/** True when the filter has a condition or groups by route. Then rollups and conditions on columns cannot answer. */
export function isOfEvents({ where, isByRoute }: RequestFilter): boolean {
  return where !== undefined || isByRoute === true;
}

/** True when the filter selects methods or an endpoint. */
export function isNamed({ method, endpoint, isOfRequests }: RequestFilter): boolean {
  return method !== undefined || endpoint !== undefined || isOfRequests === true;
}

/** Returns conditions on events, without the condition `where`. Each begins with ` AND `. */
export function requestConditions(filter: RequestFilter, parameters: Pick<Parameters, 'bind'>): string {
  return conditionsOf(filter.event, parameters) + namedConditions(filter, LOG_COLUMNS, parameters);
}

/** Returns the same as {@link requestConditions}, for the rows `e` of ClickHouse. */
export function clickHouseRequestConditions(filter: RequestFilter, bind: BindValue): string {
  return clickHouseConditionsOf(filter.event, bind) + clickHouseNamedConditions(filter, bind);
}

/** Returns conditions on method and endpoint for the given column names. Each begins with ` AND `. */
export function namedConditions(
  filter: RequestFilter,
  columns: Readonly<Record<'method' | 'endpoint', string>>,
  parameters: Pick<Parameters, 'bind'>,
): string {
  const named = (['method', 'endpoint'] as const)
    .filter((name) => filter[name] !== undefined)
    .map((name) => ` AND ${columns[name]} = ${parameters.bind(filter[name])}`);
  return named.join('') + (filter.isOfRequests === true ? ` AND ${columns.method} <> '${NO_REQUEST}'` : '');
}

function clickHouseNamedConditions({ method, endpoint, isOfRequests }: RequestFilter, bind: BindValue): string {
  const named = { log_method: method, log_endpoint: endpoint };
  const tests = Object.entries(named).flatMap(([column, value]) =>
    value === undefined ? [] : [` AND e.${column} = ${bind(value, 'String')}`],
  );
  return tests.join('') + (isOfRequests === true ? ` AND e.log_method != '${NO_REQUEST}'` : '');
}

/**
 * Returns all parts of the filter except `filter.event` as one condition.
 * @param minMs only events with at least this latency
 */
export function requestCondition(filter: RequestFilter, minMs?: number): EventCondition {
  const { where } = filter;
  const slow = (bind: Bind): string =>
    minMs === undefined ? '' : ` AND log_has_latency AND log_latency_ms >= ${bind(minMs)}`;
  const clickHouseSlow = (bind: BindValue): string =>
    minMs === undefined ? '' : ` AND e.log_has_latency AND e.log_latency_ms >= ${bind(minMs, 'Int32')}`;
  return {
    isExact: where?.isExact ?? true,
    fields: where?.fields ?? [],
    sql: (bind) => `(${where?.sql(bind) ?? 'true'}${namedConditions(filter, LOG_COLUMNS, { bind })}${slow(bind)})`,
    clickHouseSql: (bind) =>
      `(${where?.clickHouseSql(bind) ?? 'toUInt8(1)'}${clickHouseNamedConditions(filter, bind)}${clickHouseSlow(bind)})`,
    clickHouseProperties: (bind) => where?.clickHouseProperties(bind) ?? [],
    truth: (subject, work) => (where === undefined ? true : where.truth(subject, work)),
  };
}
