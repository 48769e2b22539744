import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { clickHouseFieldReads, clickHouseIsUnreadable, pathOfProperty } from '../../conditions/index.js';
import { instantSql } from '../../fields/index.js';
import { clickHouseConditionsOf } from '../totals/event-filter.js';
import type { TimeWindow } from '../totals/coverage.js';
import { writtenIds } from '../reading/written-values.js';
import type { Keyed } from './keys.js';
import type { AggregationQuery } from './aggregation-query.js';

/** Conditions that select the events of a query, for the rows `e` of ClickHouse. */
export interface ClickHouseQueryConditions {
  /** Also true for rows that cannot be read, so that `unread` can report them. */
  readonly matching: string;
  /** True when a row cannot be read and may match. Then the whole result is unknown. */
  readonly unread: string;
}

/**
 * @param properties SQL of the properties that are read in addition to the conditions, from {@link readProperties}
 * @param chosen ids of the matching events, when the process has evaluated the condition
 */
export function clickHouseQueryConditions(
  { filter, where }: Pick<AggregationQuery, 'filter' | 'where'>,
  { from, to }: TimeWindow,
  properties: readonly string[],
  chosen: readonly string[] | null,
  bind: BindValue,
): ClickHouseQueryConditions {
  const condition = chosen === null ? (where?.clickHouseSql(bind) ?? null) : `e.id IN ${writtenIds(chosen)}`;
  const params = chosen === null ? (where?.clickHouseProperties(bind) ?? []) : [];
  const isUnreadable = params.length === 0 ? null : clickHouseIsUnreadable(params);
  const fits = isUnreadable === null ? condition : `(${condition} OR ${isUnreadable})`;
  const within = `e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)}`;
  const unread = [
    ...(isUnreadable === null ? [] : [isUnreadable]),
    ...properties.map((one) => clickHouseIsUnreadable([one])),
  ];
  return {
    matching: `${within}${clickHouseConditionsOf(filter, bind)}${fits === null ? '' : ` AND ${fits}`}`,
    unread: unread.length === 0 ? 'false' : `(${unread.join(' OR ')})`,
  };
}

/** Returns SQL of the properties that a field reads. Empty for a column of the event. */
export function readProperties(field: string | undefined, read: Pick<Keyed, 'value'> | null): readonly string[] {
  if (field === undefined || read === null) return [];
  return pathOfProperty(field) === null ? clickHouseFieldReads(field) : [read.value];
}
