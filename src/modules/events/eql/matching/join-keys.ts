import { createHash } from 'node:crypto';
import { canonicalDigits, ExactNumber } from '../../../../platform/json/index.js';
import { compareTexts, type Field, isScalar, type Scalar, type Value } from '../../eql-language/index.js';
import { QueryNeedsTooMuchMemory } from './pending-budget.js';

export type KeyValue = Scalar | ExactNumber | null;

/** The join keys of an event. Events with the same tuple belong together. */
export interface KeyTuple {
  /** A short text that is equal for equal values of equal types. */
  readonly id: string;
  readonly values: readonly KeyValue[];
  /** The pieces of {@link PendingBudget} that the tuple takes while it is kept. */
  readonly weight: number;
}

/** Maximum number of tuples from the lists of one event. With more, the query is refused with 503. */
export const MOST_TUPLES = 1_000;
const LONGEST_ID = 100;
/** The number of characters that take as much memory as a pending partial. */
const CHARACTERS_OF_A_PIECE = 200;

/** Returns the tuples of an event, or none when a required key is missing. */
export type KeyReader<Source> = (source: Source) => readonly KeyTuple[];

const NO_KEYS: readonly KeyTuple[] = [{ id: '', values: [], weight: 1 }];

/**
 * @param readerOf returns a reader of one key from the source of an event
 * @throws QueryNeedsTooMuchMemory from the reader, when the lists of an event make too many tuples
 */
export function keyReader<Source>(
  keys: readonly Field[],
  readerOf: (key: Field) => (source: Source) => Value,
): KeyReader<Source> {
  const readers = keys.map((key) => ({ read: readerOf(key), isOptional: key.isOptional }));
  const [first, ...others] = readers;
  if (first === undefined) return () => NO_KEYS;
  const combined = (source: Source, begun: readonly KeyValue[]): readonly KeyTuple[] => {
    let tuples: KeyValue[][] = [];
    for (const value of begun) tuples.push([value]);
    for (const { read, isOptional } of others) {
      const values = keyValues(read(source), isOptional);
      if (tuples.length * values.length > MOST_TUPLES) throw new QueryNeedsTooMuchMemory();
      tuples = tuples.flatMap((tuple) => values.map((value) => [...tuple, value]));
    }
    return tuples.map(tupleOf);
  };
  return (source) => {
    const value = first.read(source);
    if (others.length === 0 && isKey(value)) return [tupleOf([value])];
    const values = keyValues(value, first.isOptional);
    if (values.length > MOST_TUPLES) throw new QueryNeedsTooMuchMemory();
    return combined(source, values);
  };
}

/** Returns the keys in a value. Each scalar in a list is a key of its own. Objects and nested lists are no keys. */
function keyValues(value: Value, isOptional: boolean): readonly KeyValue[] {
  if (isKey(value)) return [value];
  const scalars = Array.isArray(value) ? value.filter(isKey) : [];
  if (scalars.length === 0 && isOptional) return [null];
  return [...new Map(scalars.map((scalar) => [idOf(scalar), scalar])).values()];
}

function isKey(value: Value): value is Scalar | ExactNumber {
  return isScalar(value) || value instanceof ExactNumber;
}

/** Returns a value that is equal for equal keys. An exact number is an object, so its digits are used instead. */
function idOf(value: KeyValue): Scalar | null {
  return value instanceof ExactNumber ? `#${canonicalDigits(value)}` : typeof value === 'string' ? `"${value}` : value;
}

function tupleOf(values: readonly KeyValue[]): KeyTuple {
  const [first] = values;
  // Most keys are one short text. Their ids begin with a quote, and the ids below with a bracket or a base64 digit.
  if (values.length === 1 && typeof first === 'string' && first.length < LONGEST_ID) {
    return { id: `"${first}`, values, weight: 1 };
  }
  const written = JSON.stringify(values.map(idOf));
  const id = written.length <= LONGEST_ID ? written : createHash('sha256').update(written).digest('base64');
  return { id, values, weight: 1 + Math.floor(written.length / CHARACTERS_OF_A_PIECE) };
}

function placeOf(value: KeyValue): number {
  return ORDER.indexOf(value instanceof ExactNumber ? 'number' : typeof value);
}

/** Compares numbers. The digits decide when two numbers are the same double. */
function compareNumbers(one: KeyValue, other: KeyValue): number {
  const order = Number(one) - Number(other);
  if (order !== 0 || !(one instanceof ExactNumber || other instanceof ExactNumber)) return order;
  return compareTexts(String(one), String(other));
}

const ORDER = ['object', 'boolean', 'number', 'string'];

/** Orders keys: null first, then booleans, numbers and texts, each ascending. */
export function compareKeys(one: readonly KeyValue[], other: readonly KeyValue[]): number {
  for (const [at, a] of one.entries()) {
    const b = other[at] ?? null;
    const kinds = placeOf(a) - placeOf(b);
    const order =
      kinds !== 0 ? kinds : typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : compareNumbers(a, b);
    if (order !== 0) return order;
  }
  return 0;
}
