import type { BindValue } from '../../../platform/clickhouse/index.js';
import { withDoubles } from '../fields/index.js';
import type { EventField } from './filter.js';
import { PLACE } from './filter-sql.js';

/**
 * The value at a path of the rows `e` of ClickHouse as JSON text, empty or `null` where it is missing or null: as `propertySql`
 * has it.
 */
export function copiedPropertySql(path: readonly string[], bind: BindValue): string {
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

/** Names that stand in JSON as they are. */
const AS_WRITTEN = /^[\w -]{1,100}$/;

/**
 * A text that is found without parsing the properties, which takes half of the time: the member of that name with a text, where
 * no object ends behind it but that of the properties, as PostgreSQL writes them. So it is none of an object inside them; and what
 * stands in a text has a backslash before it.
 * @param parsed of all others
 */
function unparsedOr(parsed: string, name: string, bind: BindValue): string {
  // Members but the first one stand behind a comma and a space.
  const [member, first] = [` "${name}": "`, `{"${name}": "`];
  const at = `position(e.properties, ${bind(member, 'String')})`;
  const isFirst = `startsWith(e.properties, ${bind(first, 'String')})`;
  const behindFirst = plainOr(parsed, String(first.length), isFirst);
  return plainOr(behindFirst, `${at} + ${member.length - 1}`, `${at} > 0`);
}

/** @param quote where the text begins, with its quote, where it is there */
function plainOr(otherwise: string, quote: string, isThere: string): string {
  // Looked for from there on: what is left of the properties would be copied for it.
  const next = (character: string): string => `position(e.properties, '${character}', ${quote} + 1)`;
  const text = `substring(e.properties, ${quote}, ${next('"')} - (${quote}) + 1)`;
  // Together: one after the other, each would have the rows that are left copied for it.
  const tests = [isThere, `${next('}')} = length(e.properties)`, `position(${text}, '\\\\') = 0`];
  const isPlain = tests.reduce((all, test) => `bitAnd(${all}, ${test})`);
  return `if(${isPlain}, ${text}, ${otherwise})`;
}

/**
 * A number is a place in a list, and the name of a member elsewhere.
 * @param again makes what was taken readable once more, where ClickHouse has written it anew
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

/** Of more properties to look whether one is there takes longer than to read once more what has one. */
const MOST_LOOKED_FOR = 8;

/**
 * Whether a row `e` cannot be read that has none of these properties; what has one can be read, and is not read once more.
 * @param properties as `copiedPropertySql` has them, one at least
 */
export function copiedIsUnreadable(properties: readonly string[]): string {
  const isUnreadable = `e.other_properties = ''`;
  const all = new Set(properties);
  if (all.size > MOST_LOOKED_FOR) return `(${isUnreadable})`;
  const isNone = [...all].map((property) => `${property} = ''`).join(' AND ');
  // With AND each event would be prepared for the look that almost none needs.
  return `if(${isNone}, ${isUnreadable}, toUInt8(0))`;
}

/** The service's own fields by the names of conditions, of the rows `e` of ClickHouse. */
export const COPIED_FIELDS: Readonly<Record<EventField, string>> = {
  ...{ event: 'toString(e.event)', source: 'toString(e.source)', source_id: 'toString(e.source_id)' },
  ...{ severity: 'toString(e.severity)', status: 'toString(e.status)', environment: 'toString(e.environment)' },
  ...{ message: 'e.message', external_event_id: 'e.external_event_id' },
  ...{ 'log.method': 'toString(e.log_method)', 'log.endpoint': 'e.log_endpoint', 'log.status': 'e.log_status' },
  'log.latency_ms': 'if(e.log_has_latency, e.log_latency_ms, NULL)',
};
