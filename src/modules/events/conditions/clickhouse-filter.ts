import type { BindValue } from '../../../platform/clickhouse/index.js';
import {
  CLICKHOUSE_FIELDS,
  clickHouseFieldReads,
  clickHouseIsUnreadable,
  clickHousePropertySql,
} from './clickhouse-property.js';
import { EVENT_FIELDS, type EventField, type FilterNode, isComparison, pathOfProperty } from './filter.js';
import { type Comparison, type OperatorName, OPERATORS } from './operators/registry.js';

/** A filter as a condition on the rows `e` of ClickHouse. */
interface ClickHouseFilter {
  /** The SQL is true for every event that the filter matches. */
  readonly sql: string;
  /** Whether the SQL is true for no other event. */
  readonly isExact: boolean;
}

const ALL: ClickHouseFilter = { sql: 'toUInt8(1)', isExact: false };

/**
 * Translates the filter to SQL of ClickHouse. Parts without a translation match every event, so unless the result is
 * exact, the caller must check the events with the filter itself.
 */
export function clickHouseFilter(filter: FilterNode, bind: BindValue): ClickHouseFilter {
  const properties = new Set<string>();
  const said = sayable(filter, properties, bind);
  if (said === null) return ALL;
  if (properties.size === 0) return said;
  // ClickHouse sees no property of a row whose JSON it cannot read, so such a row may match.
  return { sql: `(${said.sql} OR ${clickHouseIsUnreadable([...properties])})`, isExact: false };
}

/** Translates a part of the filter. @returns null when any event may match */
function sayable(filter: FilterNode, properties: Set<string>, bind: BindValue): ClickHouseFilter | null {
  if (isComparison(filter)) return comparison(filter, properties, bind);
  const parts = (filter.all ?? []).map((node) => sayable(node, properties, bind));
  if (filter.any) parts.push(anyOf(filter.any.map((node) => sayable(node, properties, bind))));
  if (filter.not) parts.push(opposite(sayable(filter.not, properties, bind)));
  const said = parts.filter((part) => part !== null);
  if (parts.length > 0 && said.length === 0) return null;
  return {
    sql: said.length === 0 ? ALL.sql : `(${said.map(({ sql }) => sql).join(' AND ')})`,
    isExact: said.length === parts.length && said.every(({ isExact }) => isExact),
  };
}

function anyOf(parts: readonly (ClickHouseFilter | null)[]): ClickHouseFilter | null {
  const said = parts.filter((part) => part !== null);
  if (said.length < parts.length) return null;
  return { sql: `(${said.map(({ sql }) => sql).join(' OR ')})`, isExact: said.every(({ isExact }) => isExact) };
}

/** Only an exact part can be negated: the opposite of a condition that matches too many events would match too few. */
function opposite(part: ClickHouseFilter | null): ClickHouseFilter | null {
  return part?.isExact === true ? { sql: `(NOT ifNull(${part.sql}, 0))`, isExact: true } : null;
}

function comparison<Name extends OperatorName>(
  { field, op, value }: Comparison<Name>,
  properties: Set<string>,
  bind: BindValue,
): ClickHouseFilter | null {
  const { clickHouse } = OPERATORS[op];
  if (clickHouse === undefined) return null;
  if (Object.hasOwn(EVENT_FIELDS, field)) {
    const own = field as EventField;
    const test = clickHouse[EVENT_FIELDS[own]];
    if (test === null) return null;
    const reads = clickHouseFieldReads(own);
    for (const property of reads) properties.add(property);
    return { sql: `(${test(CLICKHOUSE_FIELDS[own], value, bind)})`, isExact: reads.length === 0 };
  }
  const path = pathOfProperty(field);
  if (clickHouse.property === null || path === null) return null;
  const property = clickHousePropertySql(path, bind);
  properties.add(property);
  // The array makes the long expression of the property appear only once in the statement.
  return { sql: `arrayExists(value -> ${clickHouse.property('value', value, bind)}, [${property}])`, isExact: false };
}
