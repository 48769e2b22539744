import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { copiedIsUnreadable, pathOfProperty } from '../../conditions/index.js';
import { instantSql } from '../../event-store/index.js';
import { copiedConditionsOf, type TimeWindow } from '../../totals/index.js';
import type { Keyed } from './keys.js';
import type { Question } from './question.js';

/** Which events a question is about, of the rows `e` of ClickHouse. */
export interface CopiedQuestion {
  /** Takes rows along that cannot be read, so that they are known. */
  readonly fitting: string;
  /** Whether a row cannot be read and might matter: then nothing is known of all. */
  readonly unread: string;
}

/**
 * @param properties SQL of the properties that are looked at beside the conditions, as {@link readProperties} has them
 * @returns null where ClickHouse cannot say the condition
 */
export function copiedQuestion(
  { filter, where }: Pick<Question, 'filter' | 'where'>,
  { from, to }: TimeWindow,
  properties: readonly string[],
  bind: BindValue,
): CopiedQuestion | null {
  // What is asked in memory is asked of PostgreSQL's rows.
  if (where?.isExact === false) return null;
  const condition = where === null ? null : where.copiedSql(bind);
  const asked = where === null ? [] : where.copiedProperties(bind);
  const isUnreadable = asked.length === 0 ? null : copiedIsUnreadable(asked);
  const fits = isUnreadable === null ? condition : `(${condition} OR ${isUnreadable})`;
  const within = `e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)}`;
  const unread = [
    ...(isUnreadable === null ? [] : [isUnreadable]),
    ...properties.map((one) => copiedIsUnreadable([one])),
  ];
  return {
    fitting: `${within}${copiedConditionsOf(filter, bind)}${fits === null ? '' : ` AND ${fits}`}`,
    unread: unread.length === 0 ? 'false' : `(${unread.join(' OR ')})`,
  };
}

/** SQL of the properties that are read for a field: none for a field of the event itself. */
export function readProperties(field: string | undefined, read: Pick<Keyed, 'value'> | null): string[] {
  return field === undefined || read === null || pathOfProperty(field) === null ? [] : [read.value];
}
