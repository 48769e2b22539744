import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';

export type { Bind };

/** True where the expression is false or null. */
export function opposite(sql: string): string {
  return `NOT coalesce(${sql}, false)`;
}

/** A scalar as jsonb. */
export function jsonSql(value: unknown, bind: Bind): string {
  return `${bind(JSON.stringify(value))}::text::jsonb`;
}

/** The text of a jsonb expression. */
export function stringSql(property: string): string {
  return `(${property} #>> '{}')`;
}

/** A test of the text of a jsonb expression; null where it holds none. */
export function onString(property: string, test: (text: string) => string): string {
  return `CASE WHEN jsonb_typeof(${property}) = 'string' THEN ${test(stringSql(property))} END`;
}

/** In ClickHouse: a test of the text that a text of JSON holds. */
export function onCopiedString(json: string, test: (text: string) => string): string {
  return `(startsWith(${json}, '"') AND ${test(`JSONExtractString(${json})`)})`;
}

/** In ClickHouse: a test of the number that a text of JSON holds, as a double; those beyond doubles fit. */
export function onCopiedNumber(json: string, test: (number: string) => string): string {
  return `(match(${json}, '^[-0-9]') AND ifNull(${test(`toFloat64OrNull(${json})`)}, 1))`;
}

/** In ClickHouse: whether a text of JSON holds the scalar; of numbers also those that are as doubles. */
export function copiedEqualsSql(json: string, wanted: string | number | boolean, bind: BindValue): string {
  if (typeof wanted === 'boolean') return `(${json} = '${wanted}')`;
  if (typeof wanted === 'string') return onCopiedString(json, (text) => `${text} = ${bind(wanted, 'String')}`);
  return onCopiedNumber(json, (number) => `${number} = ${bind(wanted, 'Float64')}`);
}
