import { createHash } from 'node:crypto';
import { canonicalDigits, ExactNumber } from '../../../../platform/json/index.js';
import { compareTexts, type Field, isScalar, type Scalar, type Value } from '../../eql-language/index.js';
import { QueryNeedsTooMuchMemory } from './pending-budget.js';

export type KeyValue = Scalar | ExactNumber | null;

/** The keys of an event: events that have the same belong together. */
export interface KeyTuple {
  /** Equal for equal values of equal types, and short. */
  readonly id: string;
  readonly values: readonly KeyValue[];
  /** Pieces that it takes while it is kept. */
  readonly weight: number;
}

/** Tuples that the lists of one event make. */
export const MOST_TUPLES = 1_000;
const LONGEST_ID = 100;
/** Characters that take as much room as a pending partial. */
const CHARACTERS_OF_A_PIECE = 200;

/** Reads the tuples of an event; none when a key is missing that has to be there. */
export type KeyReader<Source> = (source: Source) => readonly KeyTuple[];

const NO_KEYS: readonly KeyTuple[] = [{ id: '', values: [], weight: 1 }];

/**
 * @param readerOf reads a key of what there is of an event
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

/** Each element of a list is a key by itself; objects and lists in lists are none. */
function keyValues(value: Value, isOptional: boolean): readonly KeyValue[] {
  if (isKey(value)) return [value];
  const scalars = Array.isArray(value) ? value.filter(isKey) : [];
  if (scalars.length === 0 && isOptional) return [null];
  return [...new Map(scalars.map((scalar) => [idOf(scalar), scalar])).values()];
}

function isKey(value: Value): value is Scalar | ExactNumber {
  return isScalar(value) || value instanceof ExactNumber;
}

/** Equal for equal values: an exact number is an object, and no other key is one. */
function idOf(value: KeyValue): Scalar | null {
  return value instanceof ExactNumber ? `#${canonicalDigits(value)}` : typeof value === 'string' ? `"${value}` : value;
}

function tupleOf(values: readonly KeyValue[]): KeyTuple {
  const [first] = values;
  // Most keys are one short text; what is written below begins with a bracket, or with what base64 has.
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

/** Of numbers that are the same double the digits decide. */
function compareNumbers(one: KeyValue, other: KeyValue): number {
  const order = Number(one) - Number(other);
  if (order !== 0 || !(one instanceof ExactNumber || other instanceof ExactNumber)) return order;
  return compareTexts(String(one), String(other));
}

const ORDER = ['object', 'boolean', 'number', 'string'];

/** Null, then truth, numbers, texts; each ascending. */
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
