import {
  boolean,
  enumOf,
  failed,
  type Failure,
  Fault,
  Faults,
  type FaultyMember,
  isObject,
  type Kind,
  missing,
  number,
  objectExpected,
  type Read,
  ruleBroken,
  text,
} from '../../../platform/http/fields/index.js';
import {
  type Comparison,
  type FieldType,
  type FilterGroup,
  type FilterNode,
  MAX_FIELD_LENGTH,
  MAX_FILTER_DEPTH,
  MAX_FILTER_NODES,
  MAX_FILTER_TEXT,
  MAX_PATH_NAMES,
  MAX_PATTERNS,
  MAX_VALUE_LENGTH,
  MAX_VALUES,
  type Operator,
  OPERATORS,
  PROPERTY_PREFIX,
  type Scalar,
  typeOfField,
  type Vocabulary,
} from './filter.js';
import { patternFault } from './patterns/text-pattern.js';

type Members = Readonly<Record<string, unknown>>;

const GROUPS = ['all', 'any', 'not'];
const COMPARISON = ['field', 'op', 'value'];
/** What events are compared with and measures are held against is no secret, though its name says so. */
export const OPEN_MEMBERS: readonly string[] = ['value'];
const TEXT_OPERATORS: readonly Operator[] = ['contains', 'starts_with', 'matches'];
const NUMBER_OPERATORS: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];

const readerOf = <T>(kind: Kind<T>): Read<T> =>
  kind.build(() => {
    throw new Error('A condition holds no classes');
  });
const readOperator = readerOf(enumOf(OPERATORS));
const readFieldName = readerOf(text({ min: 1, max: MAX_FIELD_LENGTH }));
const readText = readerOf(text({ max: MAX_VALUE_LENGTH }));
const readPart = readerOf(text({ min: 1, max: MAX_VALUE_LENGTH }));
const readNumber = readerOf(number());
const readBoolean = readerOf(boolean());

/** Reads one filter; what is wrong with it is told at the very place. For one use, since it counts. */
export class FilterReader {
  private nodes = 0;
  private patterns = 0;
  private characters = 0;

  constructor(private readonly vocabulary: Vocabulary) {}

  node(value: unknown, depth: number): FilterNode | Failure {
    if (!isObject(value)) return objectExpected(value);
    if (++this.nodes > MAX_FILTER_NODES) return ruleBroken(`a filter has at most ${MAX_FILTER_NODES} parts`, value);
    if (depth > MAX_FILTER_DEPTH) return ruleBroken(`filters nest at most ${MAX_FILTER_DEPTH} levels deep`, value);
    if (COMPARISON.some((name) => value[name] !== undefined)) return this.comparison(value);
    const group = this.group(value, depth, []);
    if (!failed(group) && Object.keys(group).length === 0) {
      return ruleBroken('a filter is all, any or not, or a comparison of field, op and value', value);
    }
    return group;
  }

  /** The `all`, `any` and `not` of an object that may have other members of these names. */
  group(value: Members, depth: number, others: readonly string[]): FilterGroup | Failure {
    const group: { -readonly [K in keyof FilterGroup]: FilterGroup[K] } = {};
    const refused = unknownMembers(value, [...GROUPS, ...others]);
    for (const name of ['all', 'any'] as const) {
      if (value[name] === undefined) continue;
      const nodes = this.list(value[name], depth + 1);
      if (failed(nodes)) refused.push(faulty(name, nodes));
      else group[name] = nodes;
    }
    if (value['not'] !== undefined) {
      const node = this.node(value['not'], depth + 1);
      if (failed(node)) refused.push(faulty('not', node));
      else group.not = node;
    }
    return refused.length > 0 ? new Faults(refused) : group;
  }

  private list(value: unknown, depth: number): FilterNode[] | Failure {
    if (!Array.isArray(value)) return new Fault('list_type', 'Input should be a valid list', value);
    if (value.length === 0) return tooShort(value);
    const nodes: FilterNode[] = [];
    const refused: FaultyMember[] = [];
    for (let index = 0; index < value.length && this.nodes <= MAX_FILTER_NODES; index++) {
      const node = this.node(value[index], depth);
      if (failed(node)) refused.push(faulty(index, node));
      else nodes.push(node);
    }
    return refused.length > 0 ? new Faults(refused) : nodes;
  }

  private comparison(value: Members): Comparison | Failure {
    const refused = unknownMembers(value, COMPARISON);
    const field = value['field'] === undefined ? missing(value) : this.field(value['field']);
    if (failed(field)) refused.push(faulty('field', field));
    const op = value['op'] === undefined ? missing(value) : readOperator(value['op'], 1);
    if (failed(op)) refused.push(faulty('op', op));
    if (!failed(field) && !failed(op)) {
      const type = typeOfField(field, this.vocabulary) ?? 'any';
      const clash = clashOf(op, type, field);
      if (clash !== undefined) refused.push(faulty('op', ruleBroken(clash, value['op'])));
      else {
        const operand = this.bounded(field, op, operandOf(op, type, value), value['value']);
        if (!failed(operand) && refused.length === 0) return { field, op, value: operand } as Comparison;
        if (failed(operand)) refused.push(faulty('value', operand));
      }
    }
    return new Faults(refused);
  }

  /** What a comparison adds to the cost of the filter: it is asked of every event. */
  private bounded(
    field: string,
    op: Operator,
    operand: Comparison['value'] | Failure,
    given: unknown,
  ): Comparison['value'] | Failure {
    if (failed(operand)) return operand;
    if (op === 'matches' && ++this.patterns > MAX_PATTERNS) {
      return ruleBroken(`a filter has at most ${MAX_PATTERNS} patterns`, given);
    }
    const texts = typeof operand === 'object' ? operand : [operand];
    this.characters += field.length + texts.reduce<number>((sum, text) => sum + String(text).length, 0);
    if (this.characters <= MAX_FILTER_TEXT) return operand;
    return ruleBroken(`the fields and values of a filter have at most ${MAX_FILTER_TEXT} characters together`, given);
  }

  /** A field of the vocabulary or a property. */
  field(value: unknown): string | Failure {
    const field = readFieldName(value, 1);
    if (failed(field) || typeOfField(field, this.vocabulary) !== null) return field;
    if (field.startsWith(PROPERTY_PREFIX)) {
      return ruleBroken(`a property is named by 1 to ${MAX_PATH_NAMES} names with dots between`, value);
    }
    const known = [...Object.keys(this.vocabulary), `${PROPERTY_PREFIX}<path>`];
    return ruleBroken(`unknown field; fields are ${known.join(', ')}`, value);
  }
}

export function faulty(key: string | number, fault: Failure): FaultyMember {
  return { key, secret: false, fault };
}

/** A misspelt member would widen what fits, so it is not ignored. */
export function unknownMembers(value: Members, known: readonly string[]): FaultyMember[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .slice(0, 10)
    .map((name) => faulty(name, ruleBroken(`unknown member; known here are ${known.join(', ')}`, value[name])));
}

function clashOf(op: Operator, type: FieldType, field: string): string | undefined {
  if (type === 'text' && NUMBER_OPERATORS.includes(op)) return `${op} compares numbers, and ${field} is text`;
  if (type === 'number' && TEXT_OPERATORS.includes(op)) return `${op} looks into text, and ${field} is a number`;
  return undefined;
}

function operandOf(op: Operator, type: FieldType, comparison: Members): Comparison['value'] | Failure {
  const value = comparison['value'];
  if (value === undefined) return op === 'exists' ? true : missing(comparison);
  switch (op) {
    case 'eq':
    case 'ne':
      return scalarOf(value, type);
    case 'in':
      return valuesOf(value, type);
    case 'contains':
      return typeof value === 'string' || type === 'text' ? readPart(value, 1) : scalarOf(value, type);
    case 'starts_with':
      return readPart(value, 1);
    case 'matches': {
      const source = readPart(value, 1);
      if (failed(source)) return source;
      const reason = patternFault(source);
      return reason === null ? source : ruleBroken(`the pattern cannot be used: ${reason}`, value);
    }
    case 'exists':
      return readBoolean(value, 1);
    default:
      return readNumber(value, 1);
  }
}

/** Typed: a number is not taken from text, since text never equals a number. */
function scalarOf(value: unknown, type: FieldType): Scalar | Failure {
  if (type === 'text') return readText(value, 1);
  if (type === 'number') {
    return typeof value === 'number'
      ? readNumber(value, 1)
      : new Fault('float_type', 'Input should be a valid number', value);
  }
  if (typeof value === 'string') return readText(value, 1);
  if (typeof value === 'number') return readNumber(value, 1);
  if (typeof value === 'boolean') return value;
  return ruleBroken('a value is text, a number, true or false', value);
}

function valuesOf(value: unknown, type: FieldType): Scalar[] | Failure {
  if (!Array.isArray(value)) return new Fault('list_type', 'Input should be a valid list', value);
  if (value.length === 0) return tooShort(value);
  if (value.length > MAX_VALUES) return ruleBroken(`in takes at most ${MAX_VALUES} values`, value);
  const values: Scalar[] = [];
  const refused: FaultyMember[] = [];
  for (const [index, item] of value.entries()) {
    const read = scalarOf(item, type);
    if (failed(read)) refused.push(faulty(index, read));
    else values.push(read);
  }
  return refused.length > 0 ? new Faults(refused) : values;
}

function tooShort(value: readonly unknown[]): Fault {
  return new Fault('too_short', 'List should have at least 1 item after validation, not 0', value, {
    field_type: 'List',
    min_length: 1,
    actual_length: 0,
  });
}
