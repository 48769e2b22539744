import type { BindValue } from '../../../platform/clickhouse/index.js';
import { ID_PART, ID_PLACE, PATH_ALONE, ROUTE_PROPERTIES, withDoubles } from '../fields/index.js';
import type { EventField } from './filter.js';
import { PLACE } from './filter-sql.js';

/**
 * Returns SQL for the value at a path of the ClickHouse rows `e`, as JSON text: the value that `propertySql` reads in
 * PostgreSQL. The text is empty or `null` when the value is missing or null.
 */
export function clickHousePropertySql(path: readonly string[], bind: BindValue): string {
  const names = path.map((name) => bind(name, 'String'));
  const wholeName = path.length === 1 ? null : bind(path.join('.'), 'String');
  const read = (properties: string, again: (json: string) => string): string => {
    const at = followed(path, names, properties, again);
    if (wholeName === null) return at;
    const named = `JSONExtractRaw(${properties}, ${wholeName})`;
    return `if(${named} IN ('', 'null'), ${at}, ${named})`;
  };
  const found = read('e.properties', (json) => json);
  const parsed = `if(${found} = '', ${withDoubles(read('e.other_properties', withDoubles))}, ${found})`;
  const [name = ''] = path;
  return path.length === 1 && AS_WRITTEN.test(name) ? unparsedOr(parsed, name, bind) : parsed;
}

/** Names that JSON writes without escapes. */
const AS_WRITTEN = /^[\w -]{1,100}$/;

/**
 * Returns SQL that reads a property with text without parsing the properties, which halves the time. The SQL searches
 * for the member in the form in which PostgreSQL writes it. If the first `}` after the member is the end of the
 * properties, the member is not part of a nested object. Inside of a text, a backslash precedes each quote, so the
 * search does not find the name there.
 * @param parsed the SQL for all other values
 */
function unparsedOr(parsed: string, name: string, bind: BindValue): string {
  // A comma and a space precede every member but the first.
  const [member, first] = [` "${name}": "`, `{"${name}": "`];
  const at = `position(e.properties, ${bind(member, 'String')})`;
  const isFirst = `startsWith(e.properties, ${bind(first, 'String')})`;
  const behindFirst = plainOr(parsed, String(first.length), isFirst);
  return plainOr(behindFirst, `${at} + ${member.length - 1}`, `${at} > 0`);
}

/** @param quote the position of the opening quote of the text, if the member is there */
function plainOr(otherwise: string, quote: string, isThere: string): string {
  // position() gets an offset, because ClickHouse would copy a substring of the properties for each row.
  const next = (character: string): string => `position(e.properties, '${character}', ${quote} + 1)`;
  const text = `substring(e.properties, ${quote}, ${next('"')} - (${quote}) + 1)`;
  // bitAnd evaluates the tests together. With AND, ClickHouse would copy the remaining rows for each test.
  const tests = [isThere, `${next('}')} = length(e.properties)`, `position(${text}, '\\\\') = 0`];
  const isPlain = tests.reduce((all, test) => `bitAnd(${all}, ${test})`);
  return `if(${isPlain}, ${text}, ${otherwise})`;
}

/**
 * Returns SQL that follows the path. A number is an index in a list, and the name of a member in an object.
 * @param again converts an extracted value so that ClickHouse can extract from it again, because ClickHouse changes how
 * values are written
 */
function followed(
  path: readonly string[],
  names: readonly string[],
  properties: string,
  again: (json: string) => string,
): string {
  let value = properties;
  let run: string[] = [];
  const readable = (): string => (value === properties ? value : again(value));
  const follow = (): void => {
    if (run.length > 0) value = `JSONExtractRaw(${readable()}, ${run.join(', ')})`;
    run = [];
  };
  for (const [nth, name] of path.entries()) {
    const bound = names[nth] ?? '';
    if (nth === 0 || !PLACE.test(name)) {
      run.push(bound);
      continue;
    }
    follow();
    const item = `JSONExtractRaw(parent, ${Number(name) + 1})`;
    const member = `JSONExtractRaw(parent, ${bound})`;
    value = `arrayMap(parent -> if(startsWith(parent, '['), ${item}, ${member}), [${readable()}])[1]`;
  }
  follow();
  return value;
}

/**
 * With more properties than this, the SQL does not test whether they exist, because reading the row again is faster.
 */
const MOST_LOOKED_FOR = 8;

/**
 * Returns SQL that is true for a row `e` that may have one of these properties in JSON that ClickHouse cannot read. A
 * row in which ClickHouse finds one of the properties is readable, so the SQL does not parse it again.
 * @param properties SQL of `clickHousePropertySql`, at least one
 */
export function clickHouseIsUnreadable(properties: readonly string[]): string {
  const isUnreadable = `e.other_properties = ''`;
  const all = new Set(properties);
  if (all.size > MOST_LOOKED_FOR) return `(${isUnreadable})`;
  const isNone = [...all].map((property) => `${property} = ''`).join(' AND ');
  // With AND in place of if, ClickHouse would prepare every row for the second test, which almost no row needs.
  return `if(${isNone}, ${isUnreadable}, toUInt8(0))`;
}

/** Writes a name into the statement itself. The names that are passed have no quotes and no backslashes. */
const written: BindValue = (name) => `'${String(name)}'`;
const ROUTE_READS = ROUTE_PROPERTIES.map((path) => clickHousePropertySql(path, written));
const ROUTE_TEXTS = `arrayMap(route_json -> if(startsWith(route_json, '"'), JSONExtractString(route_json), ''), [${ROUTE_READS.join(', ')}])`;
const ROUTE_OF_PATH = `arrayStringConcat(arrayMap(route_part -> if(match(route_part, '^(?:${ID_PART})$'), '${ID_PLACE}', route_part),
  splitByChar('/', extract(e.log_endpoint, '${PATH_ALONE}'))), '/')`;

/**
 * Returns the SQL of the properties that a field of the service is computed from. ClickHouse cannot compute the field
 * of a row whose properties it cannot read.
 */
export function clickHouseFieldReads(field: string): readonly string[] {
  return field === 'log.route' ? ROUTE_READS : [];
}

/** SQL for the service's own fields in the ClickHouse rows `e`, by their names in conditions. */
export const CLICKHOUSE_FIELDS: Readonly<Record<EventField, string>> = {
  ...{ event: 'toString(e.event)', source: 'toString(e.source)', source_id: 'toString(e.source_id)' },
  ...{ severity: 'toString(e.severity)', status: 'toString(e.status)', environment: 'toString(e.environment)' },
  ...{ message: 'e.message', external_event_id: 'e.external_event_id' },
  ...{ 'log.method': 'toString(e.log_method)', 'log.endpoint': 'e.log_endpoint', 'log.status': 'e.log_status' },
  'log.latency_ms': 'if(e.log_has_latency, e.log_latency_ms, NULL)',
  'log.status_class': `if(e.log_status BETWEEN 100 AND 599, concat(toString(intDiv(e.log_status, 100)), 'xx'), NULL)`,
  // The array makes the long expression of the properties appear only once in the statement.
  'log.route': `arrayMap(route_name -> if(route_name != '', route_name, ${ROUTE_OF_PATH}), [arrayFirst(route_text -> route_text != '', ${ROUTE_TEXTS})])[1]`,
};
