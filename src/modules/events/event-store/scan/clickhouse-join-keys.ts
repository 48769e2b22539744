import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { canonicalDigits, ExactNumber } from '../../../../platform/json/index.js';
import { clickHousePropertySql } from '../../conditions/index.js';
import { clickHouseOwnSql, type Field, isScalar, ownField, type Value } from '../../eql-language/index.js';
import { fitIntoAddress } from '../reading/address-room.js';
import { clickHouseNumberKey } from '../reading/number-key.js';

/** The fields that all terms of a query are joined by. */
export interface Joined {
  readonly keys: readonly Field[];
  /** An event matters only when its key has an event of each of these terms. */
  readonly needed: readonly number[];
}

/**
 * @returns null when there are no key fields, fewer than two needed terms, or the timestamp is a key field: the two
 * stores write timestamps differently
 */
export function joinedBy(keys: readonly Field[], needed: readonly number[]): Joined | null {
  const isTold = keys.length > 0 && needed.length > 1 && keys.every(({ own }) => own !== 'timestamp');
  return isTold ? { keys, needed } : null;
}

/** SQL for the join key of the rows `e` of ClickHouse. */
export interface ClickHouseJoinKey {
  /**
   * A 64-bit hash of the key. Equal keys have equal hashes, and different keys rarely do. It is null when the event has
   * no key or several keys.
   */
  readonly key: string;
  /** True when a list gives the event several keys. Then `key` must not be used. */
  readonly isSeveral: string;
}

const LIST = '[';
/**
 * Separates the texts of two fields. A text that contains this character causes at worst an equal hash for two keys.
 */
const BETWEEN = 'char(0)';
const HEX_DIGITS = 16;

/** Returns SQL for the join key of an event, as far as ClickHouse can compute the key. */
export function clickHouseJoinKey(keys: readonly Field[], bind: BindValue): ClickHouseJoinKey {
  const fields = keys.map(({ own, path, isOptional }) => {
    const json = own === null ? clickHousePropertySql(path, bind) : null;
    // The lambda avoids repeating the long JSON expression.
    const text = json === null ? ownText(own ?? '') : `arrayMap(json -> ${textOf('json')}, [${json}])[1]`;
    return { json, text, isOptional };
  });
  const several = fields.flatMap(({ json }) => (json === null ? [] : [`startsWith(${json}, '${LIST}')`]));
  const missing = fields.flatMap(({ text, isOptional }) => (isOptional ? [] : [`${text} = ''`]));
  const isNone = [...several, ...missing];
  const hash = hashOf(fields.map(({ text }) => text));
  return {
    key: isNone.length === 0 ? hash : `if(${isNone.join(' OR ')}, NULL, ${hash})`,
    isSeveral: several.length === 0 ? 'toUInt8(0)' : `(${several.join(' OR ')})`,
  };
}

/**
 * Returns the keys of events of PostgreSQL for the right side of IN, as hashes of {@link clickHouseJoinKey}.
 * @param events the key values of each event
 * @returns null when a value is a list, or when the keys do not fit into a request
 */
export function joinKeysSql(events: readonly (readonly Value[])[], bind: BindValue): string | null {
  const [first] = events;
  if (first === undefined) return '(SELECT toUInt64(0) WHERE 0)';
  if (events.some((values) => values.some((value) => Array.isArray(value)))) return null;
  const json = (value: Value): string => {
    if (typeof value === 'number' || value instanceof ExactNumber) return canonicalDigits(value);
    return isScalar(value) ? JSON.stringify(value) : '';
  };
  const keys = [...new Set(events.map((values) => JSON.stringify(values.map(json))))].map(
    (key) => JSON.parse(key) as readonly string[],
  );
  if (!fitIntoAddress(keys.flat())) return null;
  const columns = first.map((_, nth) =>
    bind(
      keys.map((values) => values[nth]),
      'Array(String)',
    ),
  );
  const names = first.map((_, nth) => `key_${nth}`);
  return `(SELECT arrayJoin(arrayMap((${names.join(', ')}) -> ${hashOf(names.map(textOf))}, ${columns.join(', ')})))`;
}

/** Returns a key as hexadecimal digits, the form that {@link writtenKeys} expects. */
export function keyDigits(key: string): string {
  return `leftPad(hex(assumeNotNull(${key})), ${HEX_DIGITS}, '0')`;
}

/**
 * Returns keys for the right side of IN. They are written into the statement, because so many keys do not fit into the
 * URL of a request.
 */
export function writtenKeys(keys: readonly string[]): string {
  const digits = keys.join('');
  if (!/^[0-9A-F]*$/.test(digits)) throw new Error('These are no keys');
  return `(SELECT reinterpretAsUInt64(reverse(unhex(substring('${digits}', number * ${HEX_DIGITS} + 1, ${HEX_DIGITS})))) FROM numbers(${keys.length}))`;
}

function hashOf(texts: readonly string[]): string {
  return `sipHash64(${texts.flatMap((text, nth) => (nth === 0 ? [text] : [BETWEEN, text])).join(', ')})`;
}

/** Returns SQL for the text of a JSON scalar. The text is empty for lists and objects. */
function textOf(json: string): string {
  return `multiIf(startsWith(${json}, '"'), concat('"', JSONExtractString(${json})), ${json} IN ('true', 'false'), ${json},
    match(${json}, '^[-0-9]'), ${clickHouseNumberKey(json)}, '')`;
}

/** Returns SQL for a field of the event, with the same text that the equal JSON value would have. */
function ownText(name: string): string {
  const sql = clickHouseOwnSql(name);
  const text = ownField(name).type === 'number' ? clickHouseNumberKey(`toString(${sql})`) : `concat('"', ${sql})`;
  return `ifNull(${text}, '')`;
}
