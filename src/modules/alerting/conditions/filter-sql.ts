import { CONDITION_SQL } from '../../events/fields/index.js';
import {
  type Comparison,
  EVENT_FIELDS,
  type EventField,
  type FilterNode,
  isComparison,
  pathOfProperty,
} from './filter.js';
import { MAX_SEARCHED } from './patterns/pattern-syntax.js';
import { patternForPostgres } from './patterns/pattern-sql.js';

/** Binds a value as a parameter of the statement and gives its placeholder. */
export type Bind = (value: unknown) => string;

/** PostgreSQL takes more than JavaScript for the place in a list, such as -1 and 01. */
const PLACE = /^(0|[1-9]\d{0,5})$/;
const LIKE_A_PLACE = /^\s*[+-]?\s*\d/;

/**
 * The filter as a condition on the row `e` of `events`, true exactly where the matcher of the same filter is; elsewhere
 * it is false or null. So it can stand in WHERE and FILTER, and under NOT when it is wrapped by coalesce(…, false).
 */
export function filterSql(filter: FilterNode, bind: Bind): string {
  if (isComparison(filter)) return comparisonSql(filter, bind);
  const parts = (filter.all ?? []).map((node) => filterSql(node, bind));
  if (filter.any) parts.push(`(${filter.any.map((node) => filterSql(node, bind)).join(' OR ')})`);
  if (filter.not) parts.push(opposite(filterSql(filter.not, bind)));
  return parts.length === 0 ? 'true' : `(${parts.join(' AND ')})`;
}

/** What a field holds, as json; null where it is missing. */
export function fieldSql(field: string, bind: Bind): string {
  const column = columnOf(field);
  return column ? `to_json(${column.sql})` : `(${propertySql(field, bind)})::json`;
}

/** The number a field holds; null where it holds none. */
export function numberSql(field: string, bind: Bind): string {
  const column = columnOf(field);
  if (column) return `(${column.sql})::float8`;
  const value = propertySql(field, bind);
  return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value} #>> '{}')::float8 END`;
}

/** The scalar a field holds, as jsonb, text cut to so many characters; null where it holds none. */
export function scalarSql(field: string, maxText: number, bind: Bind): string {
  const column = columnOf(field);
  if (column?.type === 'text') return `to_jsonb(left(${column.sql}, ${maxText}))`;
  if (column) return `to_jsonb(${column.sql})`;
  const value = propertySql(field, bind);
  return `CASE jsonb_typeof(${value}) WHEN 'string' THEN to_jsonb(left(${value} #>> '{}', ${maxText}))
    WHEN 'number' THEN ${value} WHEN 'boolean' THEN ${value} END`;
}

/** How a field is read from the row `e`; undefined: it is a property. */
function columnOf(field: string): { readonly sql: string; readonly type: 'text' | 'number' } | undefined {
  return isEventField(field) ? { sql: CONDITION_SQL[field], type: EVENT_FIELDS[field] } : undefined;
}

function isEventField(field: string): field is EventField {
  return Object.hasOwn(EVENT_FIELDS, field);
}

/** A jsonb value, null where it is missing or null. The path is bound, not written into the statement. */
function propertySql(field: string, bind: Bind): string {
  const path = pathOfProperty(field);
  if (path === null) throw new Error(`There is no field ${field}`);
  const named = `nullif(e.properties -> ${bind(path.join('.'))}::text, 'null')`;
  if (path.length === 1) return named;
  let value = 'e.properties';
  let run: string[] = [];
  const follow = (): void => {
    if (run.length > 0) value = `${value} #> ${bind(run)}::text[]`;
    run = [];
  };
  for (const name of path) {
    if (PLACE.test(name) || !LIKE_A_PLACE.test(name)) run.push(name);
    else {
      follow();
      value = `(${value}) -> ${bind(name)}::text`;
    }
  }
  follow();
  return `coalesce(${named}, nullif(${value}, 'null'))`;
}

function comparisonSql(comparison: Comparison, bind: Bind): string {
  const column = columnOf(comparison.field);
  if (column?.type === 'text') return textSql(column.sql, comparison, bind);
  if (column) return numericSql(column.sql, comparison, bind);
  return valueSql(propertySql(comparison.field, bind), comparison, bind);
}

function textSql(column: string, { op, value }: Comparison, bind: Bind): string {
  switch (op) {
    case 'eq':
      return `${column} = ${bind(value)}`;
    case 'ne':
      return opposite(`${column} = ${bind(value)}`);
    case 'in':
      return `${column} = ANY (${bind(value)}::text[])`;
    case 'contains':
      return `strpos(${column}, ${bind(value)}) > 0`;
    case 'starts_with':
      return `starts_with(${column}, ${bind(value)})`;
    case 'matches':
      return `left(${column}, ${MAX_SEARCHED}) ~ ${bind(patternForPostgres(value))}`;
    case 'exists':
      return `${column} IS ${value ? 'NOT ' : ''}NULL`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      throw new Error(`${op} does not compare text`);
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function numericSql(column: string, { op, value }: Comparison, bind: Bind): string {
  switch (op) {
    case 'eq':
      return `${column} = ${bind(value)}::float8`;
    case 'ne':
      return opposite(`${column} = ${bind(value)}::float8`);
    case 'in':
      return `${column} = ANY (${bind(value)}::float8[])`;
    case 'exists':
      return `${column} IS ${value ? 'NOT ' : ''}NULL`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${column} ${SIGNS[op]} ${bind(value)}::float8`;
    case 'contains':
    case 'starts_with':
    case 'matches':
      throw new Error(`${op} does not compare numbers`);
  }
}

function valueSql(property: string, { op, value }: Comparison, bind: Bind): string {
  const json = (): string => `${bind(JSON.stringify(value))}::text::jsonb`;
  const text = (test: string): string => `CASE WHEN jsonb_typeof(${property}) = 'string' THEN ${test} END`;
  const string = `(${property} #>> '{}')`;
  switch (op) {
    case 'eq':
      return `${property} = ${json()}`;
    case 'ne':
      return opposite(`${property} = ${json()}`);
    case 'in':
      return `${property} = ANY (${bind(value.map((item) => JSON.stringify(item)))}::text[]::jsonb[])`;
    case 'contains':
      return `CASE jsonb_typeof(${property}) WHEN 'array' THEN ${property} @> jsonb_build_array(${json()})
        ${typeof value === 'string' ? `WHEN 'string' THEN strpos(${string}, ${bind(value)}) > 0` : ''} END`;
    case 'starts_with':
      return text(`starts_with(${string}, ${bind(value)})`);
    case 'matches':
      return text(`left(${string}, ${MAX_SEARCHED}) ~ ${bind(patternForPostgres(value))}`);
    case 'exists':
      return `${property} IS ${value ? 'NOT ' : ''}NULL`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `CASE WHEN jsonb_typeof(${property}) = 'number'
        THEN ${string}::numeric ${SIGNS[op]} ${bind(JSON.stringify(value))}::text::numeric END`;
  }
}

function opposite(sql: string): string {
  return `NOT coalesce(${sql}, false)`;
}
