import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import type { TimeWindow } from './coverage.js';

/** What events can be counted by. Null is a value of all but the name: the event did not say. */
export const DIMENSIONS = ['event', 'source_id', 'severity', 'status', 'environment'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Exact values; a dimension that is left out takes every value. */
export type EventFilter = Readonly<Partial<Record<Dimension, string>>>;

/** Conditions of a filter, each with ` AND ` before it; the columns are named alike in events and rollups. */
export function conditionsOf(filter: EventFilter, parameters: Pick<Parameters, 'bind'>, except?: Dimension): string {
  return DIMENSIONS.filter((name) => filter[name] !== undefined && name !== except)
    .map((name) => ` AND ${name} = ${parameters.bind(filter[name])}`)
    .join('');
}

/** As {@link conditionsOf}, of the rows `e` of ClickHouse. */
export function copiedConditionsOf(filter: EventFilter, bind: BindValue): string {
  return DIMENSIONS.filter((name) => filter[name] !== undefined)
    .map((name) => ` AND e.${name} = ${bind(filter[name], name === 'source_id' ? 'UUID' : 'String')}`)
    .join('');
}

export function isEmptyFilter(filter: EventFilter): boolean {
  return DIMENSIONS.every((name) => filter[name] === undefined);
}

export function inWindow(column: string, { from, to }: TimeWindow, parameters: Pick<Parameters, 'bind'>): string {
  return `${column} >= ${parameters.bind(from)} AND ${column} < ${parameters.bind(to)}`;
}
