import {
  type Document,
  failed,
  type Failure,
  Faults,
  type FieldOptions,
  isObject,
  type Kind,
  KindField,
  namedSchema,
  objectExpected,
} from '../../../platform/http/validation/index.js';
import { EVENT_FIELDS, type FilterNode, type Vocabulary } from './filter.js';
import { filterSchemas, storedSchema } from './grammar-schemas.js';
import { FilterReader, OPEN_MEMBERS } from './filter-reader.js';

/** The fields that filters of one kind may name, and the API documents of such filters. */
export interface FilterVocabulary {
  readonly fields: Vocabulary;
  readonly document: Document;
  /** The document of a filter in a response. */
  readonly storedDocument: Document;
}

/** @param name the kind of filter; the names of its schemas begin with it */
export function filterVocabulary(name: string, fields: Vocabulary): FilterVocabulary {
  const schemas = filterSchemas(name, fields);
  return {
    fields,
    document: namedSchema(`${name}Filter`, schemas),
    storedDocument: storedSchema(`${name}Filter`, schemas),
  };
}

/** Describes and reads a filter in the grammar of alert conditions, over the fields of a vocabulary. */
function filter({ fields, document }: FilterVocabulary): Kind<FilterNode> {
  return {
    document,
    open: OPEN_MEMBERS,
    build: () => (value) => (isObject(value) ? new FilterReader(fields).node(value, 1) : objectExpected(value)),
  };
}

/** Declares a property that is a `FilterNode`. Its value is read and checked. */
export const FilterField = (vocabulary: FilterVocabulary, options: FieldOptions<FilterNode> = {}): PropertyDecorator =>
  KindField(filter(vocabulary), options);

/**
 * Reads a stored filter, which was checked when it was stored.
 * @throws StoredFilterRefused when the current grammar refuses the filter
 */
export function storedFilter(value: unknown, vocabulary: Vocabulary = EVENT_FIELDS): FilterNode {
  const node = new FilterReader(vocabulary).node(value, 1);
  if (failed(node)) throw new StoredFilterRefused(node);
  return node;
}

/** The current grammar refuses a stored filter or condition. The message contains the location and the reason. */
export class StoredFilterRefused extends Error {
  constructor(failure: Failure) {
    super(firstOf(failure));
  }
}

/** Returns the first fault with its location, such as `all.0.value: a filter has at most 20 patterns`. */
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
