import type { BindValue } from '../../../platform/clickhouse/index.js';
import { LIKE_A_PLACE } from './filter-sql.js';

/**
 * The value at a path of the rows `e` of ClickHouse as JSON text, empty or `null` where it is missing or null: as `propertySql`
 * has it.
 * @returns null where ClickHouse reads such a path in another way
 */
export function copiedPropertySql(path: readonly string[], bind: BindValue): string | null {
  const at = (names: readonly string[]): string =>
    `JSONExtractRaw(e.properties, ${names.map((name) => bind(name, 'String')).join(', ')})`;
  if (path.length === 1) return at(path);
  if (path.some((name) => LIKE_A_PLACE.test(name))) return null;
  const named = at([path.join('.')]);
  return `if(${named} IN ('', 'null'), ${at(path)}, ${named})`;
}

/**
 * Whether ClickHouse can read the properties of a row `e`, of which it takes no whole number beyond 64 bits: it has them for empty
 * then.
 */
const COPIED_IS_READABLE = `JSONType(e.properties) = 'Object'`;

/**
 * Whether a row `e` cannot be read that has none of these properties; what has one can be read, and is not read once more.
 * @param properties as `copiedPropertySql` has them, one at least
 */
export function copiedIsUnreadable(properties: readonly string[]): string {
  return `(${[...new Set(properties)].map((property) => `${property} = ''`).join(' AND ')} AND NOT (${COPIED_IS_READABLE}))`;
}

/** The service's own fields by the names of conditions, of the rows `e` of ClickHouse. */
export const COPIED_FIELDS: Readonly<Record<string, string>> = {
  ...{ event: 'toString(e.event)', source: 'toString(e.source)', source_id: 'toString(e.source_id)' },
  ...{ severity: 'toString(e.severity)', status: 'toString(e.status)', environment: 'toString(e.environment)' },
  ...{ message: 'e.message', external_event_id: 'e.external_event_id' },
  ...{ 'log.method': 'toString(e.log_method)', 'log.endpoint': 'e.log_endpoint', 'log.status': 'e.log_status' },
  'log.latency_ms': 'if(e.log_has_latency, e.log_latency_ms, NULL)',
};
