import { parseMoment } from '../../../../../platform/http/validation/index.js';
import { truthOf } from '../protocol/members.js';
import { invalidFilter } from '../protocol/scim-fault.js';
import type { AttributePath, Comparison, Filter, FilterValue } from './filter.js';

/** A column with one value. Texts are compared without regard to case, except those of type `exact`. */
export interface FilterColumn {
  readonly sql: string;
  readonly type: 'text' | 'exact' | 'boolean' | 'time';
  /** The column that `eq` and `ne` use, and the function that converts a value to the form of this column. */
  readonly key?: { readonly sql: string; readonly of: (value: string) => string };
}

/** A multi-valued attribute. */
export interface FilterList {
  /** Returns an SQL condition that is true when at least one element fulfils the given condition. */
  readonly exists: (condition: string) => string;
  /** The columns by sub-attribute in lower case. A path without a sub-attribute means `value`. */
  readonly columns: Readonly<Record<string, FilterColumn>>;
}

/** The attributes that a filter may use, in lower case. A sub-attribute is part of the name: `name.givenname`. */
export interface FilterAttributes {
  readonly columns: Readonly<Record<string, FilterColumn>>;
  readonly lists: Readonly<Record<string, FilterList>>;
}

const SQL_OPERATORS: Readonly<Partial<Record<Comparison, string>>> = { gt: '>', ge: '>=', lt: '<', le: '<=' };

/**
 * Returns the SQL condition of a filter. The values of the filter are added to `parameters`. The SQL text contains only
 * columns of `attributes`.
 * @throws ScimFault invalidFilter
 */
export function conditionOf(filter: Filter, attributes: FilterAttributes, parameters: unknown[]): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => conditionOf(part, attributes, parameters));
      return `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      return `NOT coalesce(${conditionOf(filter.part, attributes, parameters)}, FALSE)`;
    case 'element': {
      const list = Object.hasOwn(attributes.lists, filter.attribute) ? attributes.lists[filter.attribute] : undefined;
      if (list === undefined) throw unknown(filter.attribute);
      return list.exists(conditionOf(filter.part, { columns: list.columns, lists: {} }, parameters));
    }
    case 'present':
      return onColumn(filter.path, attributes, ({ sql, type }) =>
        type === 'text' || type === 'exact' ? `nullif(${sql}, '') IS NOT NULL` : `${sql} IS NOT NULL`,
      );
    case 'compare':
      return onColumn(filter.path, attributes, (column) => compared(column, filter.operator, filter.value, parameters));
  }
}

function onColumn(
  { attribute, sub }: AttributePath,
  { columns, lists }: FilterAttributes,
  conditionFor: (column: FilterColumn) => string,
): string {
  const list = Object.hasOwn(lists, attribute) ? lists[attribute] : undefined;
  if (list !== undefined) {
    const name = sub ?? 'value';
    const column = Object.hasOwn(list.columns, name) ? list.columns[name] : undefined;
    if (column === undefined) throw unknown(`${attribute}.${name}`);
    return list.exists(conditionFor(column));
  }
  const name = sub === null ? attribute : `${attribute}.${sub}`;
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column === undefined) throw unknown(name);
  return conditionFor(column);
}

function compared(column: FilterColumn, operator: Comparison, value: FilterValue, parameters: unknown[]): string {
  if (value === null) {
    if (operator === 'eq') return `${column.sql} IS NULL`;
    if (operator === 'ne') return `${column.sql} IS NOT NULL`;
    throw invalidFilter('null is compared by eq and ne only');
  }
  if (column.type === 'boolean') return comparedTruth(column, operator, value, parameters);
  if (column.type === 'time') return comparedTime(column, operator, value, parameters);
  if (typeof value !== 'string') throw invalidFilter('The value of a text must be in double quotes');
  return comparedText(column, operator, value, parameters);
}

function comparedTruth({ sql }: FilterColumn, operator: Comparison, value: unknown, parameters: unknown[]): string {
  const truth = truthOf(value);
  if (truth === undefined) throw invalidFilter('The value must be true or false');
  parameters.push(truth);
  const parameter = `$${parameters.length}::boolean`;
  if (operator === 'eq') return `coalesce(${sql}, FALSE) = ${parameter}`;
  if (operator === 'ne') return `coalesce(${sql}, FALSE) <> ${parameter}`;
  throw invalidFilter('true and false are compared by eq and ne only');
}

function comparedTime({ sql }: FilterColumn, operator: Comparison, value: unknown, parameters: unknown[]): string {
  const moment = typeof value === 'string' ? parseMoment(value) : '';
  if (typeof moment === 'string') throw invalidFilter('The value must be a time in ISO 8601');
  parameters.push(new Date(moment));
  const parameter = `$${parameters.length}::timestamptz`;
  const column = `date_trunc('milliseconds', ${sql})`;
  if (operator === 'eq') return `${column} = ${parameter}`;
  if (operator === 'ne') return `${column} <> ${parameter}`;
  const sign = SQL_OPERATORS[operator];
  if (sign === undefined) throw invalidFilter('A time is compared by eq, ne, gt, ge, lt and le only');
  return `${column} ${sign} ${parameter}`;
}

function comparedText(column: FilterColumn, operator: Comparison, value: string, parameters: unknown[]): string {
  const { key } = column;
  if (key !== undefined && (operator === 'eq' || operator === 'ne')) {
    parameters.push(key.of(value));
    return `${key.sql} ${operator === 'eq' ? '=' : 'IS DISTINCT FROM'} $${parameters.length}::text`;
  }
  parameters.push(value);
  const folded = (sql: string): string => (column.type === 'exact' ? sql : `lower(${sql})`);
  const [left, right] = [folded(column.sql), folded(`$${parameters.length}::text`)];
  switch (operator) {
    case 'eq':
      return `${left} = ${right}`;
    case 'ne':
      return `${left} IS DISTINCT FROM ${right}`;
    case 'co':
      return `strpos(${left}, ${right}) > 0`;
    case 'sw':
      return `starts_with(${left}, ${right})`;
    case 'ew':
      return `right(${left}, length(${right})) = ${right}`;
    default:
      return `${left} COLLATE "C" ${SQL_OPERATORS[operator] ?? '='} ${right} COLLATE "C"`;
  }
}

function unknown(name: string): Error {
  return invalidFilter(`The attribute ${name.slice(0, 100)} cannot be filtered`);
}
