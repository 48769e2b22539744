import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';

export type { Bind };

/** Returns SQL that is true when the expression is false or null. */
export function opposite(sql: string): string {
  return `NOT coalesce(${sql}, false)`;
}

/** Returns SQL for a scalar as jsonb. */
export function jsonSql(value: unknown, bind: Bind): string {
  return `${bind(JSON.stringify(value))}::text::jsonb`;
}

/** Returns SQL for the text of a jsonb expression. */
export function stringSql(property: string): string {
  return `(${property} #>> '{}')`;
}

/** Returns SQL that tests the text of a jsonb expression, or null when the expression has no text. */
export function onString(property: string, test: (text: string) => string): string {
  return `CASE WHEN jsonb_typeof(${property}) = 'string' THEN ${test(stringSql(property))} END`;
}

/** Returns SQL of ClickHouse that tests the string in JSON text. */
export function onClickHouseString(json: string, test: (text: string) => string): string {
  return `(startsWith(${json}, '"') AND ${test(`JSONExtractString(${json})`)})`;
}

/** Returns SQL of ClickHouse that tests the number in JSON text as a double. Numbers that no double can hold match. */
export function onClickHouseNumber(json: string, test: (number: string) => string): string {
  return `(match(${json}, '^[-0-9]') AND ifNull(${test(`toFloat64OrNull(${json})`)}, 1))`;
}

/**
 * Returns SQL of ClickHouse that tests whether JSON text is the scalar. Numbers match when they are equal as doubles.
 */
export function clickHouseEqualsSql(json: string, wanted: string | number | boolean, bind: BindValue): string {
  if (typeof wanted === 'boolean') return `(${json} = '${wanted}')`;
  if (typeof wanted === 'string') return onClickHouseString(json, (text) => `${text} = ${bind(wanted, 'String')}`);
  return onClickHouseNumber(json, (number) => `${number} = ${bind(wanted, 'Float64')}`);
}
