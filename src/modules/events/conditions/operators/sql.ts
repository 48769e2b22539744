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
