import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { canonicalDigits, ExactNumber } from '../../../../platform/json/index.js';
import { copiedPropertySql } from '../../conditions/index.js';
import { copiedOwnSql, type Field, isScalar, ownField, type Value } from '../../eql-language/index.js';
import { fitIntoAddress } from '../reading/address-room.js';
import { copiedNumberKey } from '../reading/number-key.js';

/** What all terms of a query are joined by. */
export interface Joined {
  readonly keys: readonly Field[];
  /** The terms of which there has to be an event with a key, for any of its events to matter. */
  readonly needed: readonly number[];
}

/** @returns null where events are told apart by nothing, or by their times, which both stores write otherwise */
export function joinedBy(keys: readonly Field[], needed: readonly number[]): Joined | null {
  const isTold = keys.length > 0 && needed.length > 1 && keys.every(({ own }) => own !== 'timestamp');
  return isTold ? { keys, needed } : null;
}

/** Of the rows `e` of ClickHouse. */
export interface CopiedJoinKey {
  /** A number that is the same for the same key, and now and then for different ones; null where the event has no key or several. */
  readonly key: string;
  /** Whether it has several, by a list: then it belongs to others, whatever its number is. */
  readonly isSeveral: string;
}

const LIST = '[';
/** Between the texts of two fields; what has it in itself is taken for another key at worst. */
const BETWEEN = 'char(0)';
const HEX_DIGITS = 16;

/** The key that a query reads of an event (DECISIONS 17, Sequences), as far as ClickHouse can tell events apart by it. */
export function copiedJoinKey(keys: readonly Field[], bind: BindValue): CopiedJoinKey {
  const fields = keys.map(({ own, path, isOptional }) => {
    const json = own === null ? copiedPropertySql(path, bind) : null;
    // Said once, since it is long.
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
 * The keys of other events as what stands behind IN, in the numbers of {@link copiedJoinKey}.
 * @param events of each the values of the keys
 * @returns null where one of them has a list, or they have no room in a statement
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

/** As digits that {@link writtenKeys} takes. */
export function keyDigits(key: string): string {
  return `leftPad(hex(assumeNotNull(${key})), ${HEX_DIGITS}, '0')`;
}

/** Keys as what stands behind IN: written into the statement, since so many have no room in an address. */
export function writtenKeys(keys: readonly string[]): string {
  const digits = keys.join('');
  if (!/^[0-9A-F]*$/.test(digits)) throw new Error('These are no keys');
  return `(SELECT reinterpretAsUInt64(reverse(unhex(substring('${digits}', number * ${HEX_DIGITS} + 1, ${HEX_DIGITS})))) FROM numbers(${keys.length}))`;
}

function hashOf(texts: readonly string[]): string {
  return `sipHash64(${texts.flatMap((text, nth) => (nth === 0 ? [text] : [BETWEEN, text])).join(', ')})`;
}

/** Of a scalar in JSON; empty of all others. */
function textOf(json: string): string {
  return `multiIf(startsWith(${json}, '"'), concat('"', JSONExtractString(${json})), ${json} IN ('true', 'false'), ${json},
    match(${json}, '^[-0-9]'), ${copiedNumberKey(json)}, '')`;
}

/** The same text as that of its value in JSON. */
function ownText(name: string): string {
  const sql = copiedOwnSql(name);
  const text = ownField(name).type === 'number' ? copiedNumberKey(`toString(${sql})`) : `concat('"', ${sql})`;
  return `ifNull(${text}, '')`;
}
