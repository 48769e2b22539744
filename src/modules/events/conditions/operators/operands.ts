import {
  failed,
  type Failure,
  Fault,
  Faults,
  type FaultyMember,
  type JsonSchema,
  number,
  ruleBroken,
  text,
} from '../../../../platform/http/validation/index.js';
import { emptyList, faulty, noList, readerOf } from './reading.js';

/** The type of the values of a field, unless they are missing. A property may have a value of any type. */
export type FieldType = 'text' | 'number' | 'any';

export type Operand = string | number | boolean;

const MAX_VALUES = 100;
const MAX_VALUE_LENGTH = 1_000;

/** The schemas of the `value` of comparisons, each with the name of such a comparison in the API document. */
export const OPERAND_SCHEMAS = {
  scalar: {
    name: 'Equality',
    description: 'The field equals the value, or it does not.',
    op: 'Whether the field must equal the value, or must not',
    schema: scalarSchema(0, 'Of the same type as the field, compared exactly'),
  },
  scalars: {
    name: 'Membership',
    description: 'The field equals one of the values.',
    op: 'The field must be among the values',
    schema: {
      type: 'array',
      items: scalarSchema(0),
      minItems: 1,
      maxItems: MAX_VALUES,
      description: 'To equal one of',
    },
  },
  scalarPart: {
    name: 'Containment',
    description: 'The text holds the value somewhere, or the list has it.',
    op: 'The text, or the list, must have the value in it',
    schema: scalarSchema(1, 'To be found'),
  },
  part: {
    name: 'TextSearch',
    description: 'The text begins with the value, or the pattern is found in its beginning.',
    op: 'Whether the text must begin with the value, or fit it as a pattern',
    schema: { type: 'string', minLength: 1, maxLength: MAX_VALUE_LENGTH, description: 'Text, or a pattern' },
  },
  number: {
    name: 'Ordering',
    description: 'The number lies above or below the value.',
    op: 'On which side of the limit the number must lie',
    schema: { type: 'number', description: 'The limit' },
  },
  presence: {
    name: 'Presence',
    description: 'The field is there and not null, or it is not.',
    op: 'Whether there is a value is all that is asked',
    schema: { type: 'boolean', description: 'False: it is missing or null. `true` when left out' },
  },
} as const;

export type OperandName = keyof typeof OPERAND_SCHEMAS;

function scalarSchema(minLength: number, description?: string): JsonSchema {
  const text = { type: 'string', ...(minLength > 0 && { minLength }), maxLength: MAX_VALUE_LENGTH };
  return { anyOf: [text, { type: 'number' }, { type: 'boolean' }], ...(description !== undefined && { description }) };
}

const readText = readerOf(text({ max: MAX_VALUE_LENGTH }));
const readSome = readerOf(text({ min: 1, max: MAX_VALUE_LENGTH }));
const readAnyNumber = readerOf(number());

/** Reads the text to search for, which must not be empty. */
export function readPart(value: unknown): string | Failure {
  return readSome(value, 1);
}

/**
 * Reads the operand of a comparison of numbers. Text that contains a number is accepted, because it is not ambiguous
 * here.
 */
export function readNumber(value: unknown): number | Failure {
  return readAnyNumber(value, 1);
}

/**
 * Reads a scalar of the type. For fields with numbers, a number in a text is refused, because text never equals a
 * number.
 */
export function readScalar(value: unknown, type: FieldType): Operand | Failure {
  if (type === 'text') return readText(value, 1);
  if (type === 'number') {
    return typeof value === 'number'
      ? readNumber(value)
      : new Fault('float_type', 'Input should be a valid number', value);
  }
  if (typeof value === 'string') return readText(value, 1);
  if (typeof value === 'number') return readNumber(value);
  if (typeof value === 'boolean') return value;
  return ruleBroken('a value is text, a number, true or false', value);
}

export function readScalars(value: unknown, type: FieldType): Operand[] | Failure {
  if (!Array.isArray(value)) return noList(value);
  if (value.length === 0) return emptyList(value);
  if (value.length > MAX_VALUES) return ruleBroken(`in takes at most ${MAX_VALUES} values`, value);
  const values: Operand[] = [];
  const refused: FaultyMember[] = [];
  for (const [index, item] of value.entries()) {
    const read = readScalar(item, type);
    if (failed(read)) refused.push(faulty(index, read));
    else values.push(read);
  }
  return refused.length > 0 ? new Faults(refused) : values;
}
