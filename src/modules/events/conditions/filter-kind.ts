import {
  failed,
  type Failure,
  Faults,
  type FieldOptions,
  isObject,
  type Kind,
  KindField,
  objectExpected,
} from '../../../platform/http/fields/index.js';
import { EVENT_FIELDS, type FilterNode, type Vocabulary } from './filter.js';
import { FilterReader, OPEN_MEMBERS } from './filter-reader.js';

/** A filter in the grammar of alert conditions, over the fields of a vocabulary. */
function filter(vocabulary: Vocabulary = EVENT_FIELDS): Kind<FilterNode> {
  return {
    document: { type: 'object', additionalProperties: true },
    open: OPEN_MEMBERS,
    build: () => (value) => (isObject(value) ? new FilterReader(vocabulary).node(value, 1) : objectExpected(value)),
  };
}

/** The property is a `FilterNode`, read and checked. */
export const FilterField = (options: FieldOptions<FilterNode> & { vocabulary?: Vocabulary } = {}): PropertyDecorator =>
  KindField(filter(options.vocabulary), options);

/**
 * Reads a filter that was stored, and so checked, before.
 * @throws StoredFilterRefused when it would be refused today
 */
export function storedFilter(value: unknown, vocabulary: Vocabulary = EVENT_FIELDS): FilterNode {
  const node = new FilterReader(vocabulary).node(value, 1);
  if (failed(node)) throw new StoredFilterRefused(node);
  return node;
}

/** A filter or condition that was accepted once and would be refused today; the message says where and why. */
export class StoredFilterRefused extends Error {
  constructor(failure: Failure) {
    super(firstOf(failure));
  }
}

/** The first fault with its place: `all.0.value: a filter has at most 20 patterns`. */
function firstOf(failure: Failure): string {
  const place: (string | number)[] = [];
  let current = failure;
  while (current instanceof Faults) {
    const [first] = current.members;
    if (first === undefined) return 'it does not fit the grammar';
    place.push(first.key);
    current = first.fault;
  }
  const sentence = current.msg.replace(/^Value error, /, '');
  return place.length === 0 ? sentence : `${place.join('.')}: ${sentence}`;
}
