import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { copiedPropertySql } from '../../conditions/index.js';
import { copiedOwnSql, type Field, isScalar, ownField, type Value } from '../../eql-language/index.js';
import { copiedNumberKey } from '../questions/copied-keys.js';

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
  /** A number that is the same for the same key, and now and then for different ones. */
  readonly key: string;
  /** Whether the event has a key, which it has not without those that are not optional. */
  readonly isThere: string;
  /** Whether it has several, by a list: then it belongs to others, whatever its number is. */
  readonly isSeveral: string;
}

const LIST = '[';
/** Between the texts of two fields; what has it in itself is taken for another key at worst. */
const BETWEEN = 'char(0)';

/** The key that a query reads of an event (DECISIONS 17, Sequences), as far as ClickHouse can tell events apart by it. */
export function copiedJoinKey(keys: readonly Field[], bind: BindValue): CopiedJoinKey {
  const fields = keys.map(({ own, path, isOptional }) => {
    const json = own === null ? copiedPropertySql(path, bind) : null;
    const text = json === null ? ownText(own ?? '') : textOf(json);
    return { json, text, isOptional };
  });
  const all = (tests: readonly string[], word: string, none: string): string =>
    tests.length === 0 ? none : `(${tests.join(` ${word} `)})`;
  return {
    key: hashOf(fields.map(({ text }) => text)),
    isThere: all(
      fields.flatMap(({ text, isOptional }) => (isOptional ? [] : [`notEmpty(${text})`])),
      'AND',
      'toUInt8(1)',
    ),
    isSeveral: all(
      fields.flatMap(({ json }) => (json === null ? [] : [`startsWith(${json}, '${LIST}')`])),
      'OR',
      'toUInt8(0)',
    ),
  };
}

/**
 * The keys of other events as what stands behind IN, in the numbers of {@link copiedJoinKey}.
 * @param events of each the values of the keys
 * @returns null where one of them has a list
 */
export function joinKeysSql(events: readonly (readonly Value[])[], bind: BindValue): string | null {
  const [first] = events;
  if (first === undefined) return '(SELECT toUInt64(0) WHERE 0)';
  if (events.some((values) => values.some((value) => Array.isArray(value)))) return null;
  const json = (value: Value): string => (isScalar(value) ? JSON.stringify(value) : '');
  const columns = first.map((_, nth) =>
    bind(
      events.map((values) => json(values[nth])),
      'Array(String)',
    ),
  );
  const names = first.map((_, nth) => `key_${nth}`);
  return `(SELECT arrayJoin(arrayMap((${names.join(', ')}) -> ${hashOf(names.map(textOf))}, ${columns.join(', ')})))`;
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
