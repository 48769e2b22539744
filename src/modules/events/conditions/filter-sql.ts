import { CONDITION_SQL } from '../fields/index.js';
import {
  EVENT_FIELDS,
  type EventField,
  type FilterNode,
  type FilterSubject,
  isComparison,
  pathOfProperty,
} from './filter.js';
import { type Comparison, type OperatorName, OPERATORS } from './operators/registry.js';
import { type Bind, opposite } from './operators/sql.js';

/** Matches the index of an item in a list. PostgreSQL accepts more texts as an index than we do, such as -1 and 01. */
export const PLACE = /^(0|[1-9]\d{0,5})$/;
const LIKE_A_PLACE = /^\s*[+-]?\s*\d/;

/**
 * Returns the filter as a condition on the row `e` of `events`. The condition is true exactly when the matcher of the
 * filter is, and otherwise false or null. It can be used in WHERE and FILTER, and under NOT inside of
 * coalesce(…, false).
 */
export function filterSql(filter: FilterNode, bind: Bind): string {
  if (isComparison(filter)) return comparisonSql(filter, bind);
  const parts = (filter.all ?? []).map((node) => filterSql(node, bind));
  if (filter.any) parts.push(`(${filter.any.map((node) => filterSql(node, bind)).join(' OR ')})`);
  if (filter.not) parts.push(opposite(filterSql(filter.not, bind)));
  return parts.length === 0 ? 'true' : `(${parts.join(' AND ')})`;
}

/** Returns SQL for the value of a field as json, or null when the field is missing. */
export function fieldSql(field: string, bind: Bind): string {
  const column = columnOf(field);
  return column ? `to_json(${column.sql})` : `(${namedPropertySql(field, bind)})::json`;
}

/** A row that {@link subjectSql} selects. */
export interface SubjectRow {
  readonly fields: readonly unknown[];
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/**
 * Returns SQL that selects only these fields of the row `e`, and a function that makes a filter subject from the
 * selected row. A property that contains the values of several fields is selected once.
 */
export function subjectSql(
  fields: readonly string[],
  bind: Bind,
): { readonly columns: string; readonly read: (row: SubjectRow) => FilterSubject } {
  const columns = fields.filter((field) => pathOfProperty(field) === null);
  const names = [...new Set(fields.flatMap((field) => namesOf(pathOfProperty(field) ?? [])))];
  return {
    columns: `json_build_array(${columns.map((field) => fieldSql(field, bind)).join(', ')}) AS fields,
      ${propertiesSql(names, bind)} AS properties`,
    read: (row) => ({
      fields: Object.fromEntries(columns.map((field, index) => [field, row.fields[index]])),
      properties: row.properties ?? {},
    }),
  };
}

/**
 * Returns SQL for an object of the properties of the row `e` with these names, or null when the row has none of them.
 */
export function propertiesSql(names: readonly string[], bind: Bind): string {
  return names.length === 0
    ? 'NULL::jsonb'
    : `(SELECT jsonb_object_agg(key, value) FROM jsonb_each(e.properties) WHERE key = ANY (${bind(names)}::text[]))`;
}

/**
 * Returns the names of the top-level properties that may contain the value at a path: the first name, and the whole
 * path as one name.
 */
function namesOf(path: readonly string[]): string[] {
  const [first] = path;
  return first === undefined ? [] : [first, path.join('.')];
}

/** Returns SQL for the number in a field, or null when the field has no number. */
export function numberSql(field: string, bind: Bind): string {
  const column = columnOf(field);
  if (column) return `(${column.sql})::float8`;
  const value = namedPropertySql(field, bind);
  return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value} #>> '{}')::float8 END`;
}

/** Returns SQL for the scalar in a field as jsonb, with text cut to `maxText` characters, or null without a scalar. */
export function scalarSql(field: string, maxText: number, bind: Bind): string {
  const column = columnOf(field);
  if (column?.type === 'text') return `to_jsonb(left(${column.sql}, ${maxText}))`;
  if (column) return `to_jsonb(${column.sql})`;
  const value = namedPropertySql(field, bind);
  return `CASE jsonb_typeof(${value}) WHEN 'string' THEN to_jsonb(left(${value} #>> '{}', ${maxText}))
    WHEN 'number' THEN ${value} WHEN 'boolean' THEN ${value} END`;
}

/** Returns SQL and type of a field of the row `e`, or undefined for a property. */
function columnOf(field: string): { readonly sql: string; readonly type: 'text' | 'number' } | undefined {
  return isEventField(field) ? { sql: CONDITION_SQL[field], type: EVENT_FIELDS[field] } : undefined;
}

function isEventField(field: string): field is EventField {
  return Object.hasOwn(EVENT_FIELDS, field);
}

/** Returns SQL for a property by its name in conditions, as {@link propertySql}. */
function namedPropertySql(field: string, bind: Bind): string {
  const path = pathOfProperty(field);
  if (path === null) throw new Error(`There is no field ${field}`);
  return propertySql(path, bind);
}

/**
 * Returns SQL for the value at a path that `propertyAt` reads: jsonb, or null when the value is missing or null. The
 * path is bound as a parameter, not written into the statement.
 */
export function propertySql(path: readonly string[], bind: Bind): string {
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

function comparisonSql<Name extends OperatorName>({ field, op, value }: Comparison<Name>, bind: Bind): string {
  const { sql } = OPERATORS[op];
  const column = columnOf(field);
  if (column === undefined) return sql.property(namedPropertySql(field, bind), value, bind);
  const test = sql[column.type];
  if (test === null) throw new Error(`${op} does not compare what ${field} holds`);
  return test(column.sql, value, bind);
}
