import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import type { TimeWindow } from './coverage.js';

/** The fields that events can be counted by. All but the event type can be null, when the event has no value. */
export const DIMENSIONS = ['event', 'source_id', 'severity', 'status', 'environment'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Exact values. A missing dimension matches every value. */
export type EventFilter = Readonly<Partial<Record<Dimension, string>>>;

/** Returns the conditions of a filter. Each begins with ` AND `. Events and rollups have the same column names. */
export function conditionsOf(filter: EventFilter, parameters: Pick<Parameters, 'bind'>, except?: Dimension): string {
  return DIMENSIONS.filter((name) => filter[name] !== undefined && name !== except)
    .map((name) => ` AND ${name} = ${parameters.bind(filter[name])}`)
    .join('');
}

/** Returns the same as {@link conditionsOf}, for the rows `e` of ClickHouse. */
export function clickHouseConditionsOf(filter: EventFilter, bind: BindValue): string {
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
