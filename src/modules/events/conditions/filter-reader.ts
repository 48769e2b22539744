import {
  enumOf,
  failed,
  type Failure,
  Faults,
  type FaultyMember,
  isObject,
  missing,
  objectExpected,
  ruleBroken,
  text,
} from '../../../platform/http/validation/index.js';
import {
  type FilterGroup,
  type FilterNode,
  MAX_FIELD_LENGTH,
  MAX_FILTER_DEPTH,
  MAX_FILTER_NODES,
  MAX_FILTER_TEXT,
  MAX_PATH_NAMES,
  MAX_PATTERNS,
  pathOfProperty,
  PROPERTY_PREFIX,
  typeOfField,
  type Vocabulary,
} from './filter.js';
import type { FieldType } from './operators/operands.js';
import { emptyList, faulty, noList, readerOf } from './operators/reading.js';
import { type Comparison, OPERATOR_NAMES, type OperatorName, OPERATORS } from './operators/registry.js';

type Members = Readonly<Record<string, unknown>>;

const GROUPS = ['all', 'any', 'not'];
const COMPARISON = ['field', 'op', 'value'];
/** Members whose values appear in errors, although members of these names are otherwise masked as secrets. */
export const OPEN_MEMBERS: readonly string[] = ['value'];

const readOperator = readerOf(enumOf(OPERATOR_NAMES));
const readFieldName = readerOf(text({ min: 1, max: MAX_FIELD_LENGTH }));

/**
 * Reads one filter and reports each fault with its location. An instance must not be used twice, because it counts the
 * parts of the filter.
 */
export class FilterReader {
  private nodes = 0;
  private patterns = 0;
  private characters = 0;

  /** @param hasProperties whether `properties.<path>` is a field in addition to the vocabulary */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly hasProperties = true,
  ) {}

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

  /** Reads `all`, `any` and `not` of an object. @param others the names of its other members */
  group(value: Members, depth: number, others: readonly string[]): FilterGroup | Failure {
    const group: { -readonly [K in keyof FilterGroup]: FilterGroup[K] } = {};
    const refused = unknownMembers(value, [...GROUPS, ...others]);
    for (const name of ['all', 'any'] as const) {
      if (value[name] === undefined || value[name] === null) continue;
      const nodes = this.list(value[name], depth + 1);
      if (failed(nodes)) refused.push(faulty(name, nodes));
      else group[name] = nodes;
    }
    if (value['not'] !== undefined && value['not'] !== null) {
      const node = this.node(value['not'], depth + 1);
      if (failed(node)) refused.push(faulty('not', node));
      else group.not = node;
    }
    return refused.length > 0 ? new Faults(refused) : group;
  }

  private list(value: unknown, depth: number): FilterNode[] | Failure {
    if (!Array.isArray(value)) return noList(value);
    if (value.length === 0) return emptyList(value);
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
        const read = this.operand(field, op, type, value);
        if (!failed(read) && refused.length === 0) return read;
        if (failed(read)) refused.push(faulty('value', read));
      }
    }
    return new Faults(refused);
  }

  /** Reads the value of a comparison and counts its size, since the filter is evaluated for every event. */
  private operand<Name extends OperatorName>(
    field: string,
    op: Name,
    type: FieldType,
    given: Members,
  ): Comparison<Name> | Failure {
    const operator = OPERATORS[op];
    const { value: operand } = given;
    // Null is the same as a missing value if the operator has a default.
    const isLeftOut = operand === undefined || (operand === null && operator.whenLeftOut !== undefined);
    const value = isLeftOut ? operator.whenLeftOut : operator.read(operand, type);
    if (value === undefined) return missing(given);
    if (failed(value)) return value;
    if (operator.patternOf !== undefined && ++this.patterns > MAX_PATTERNS) {
      return ruleBroken(`a filter has at most ${MAX_PATTERNS} patterns`, given['value']);
    }
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    this.characters += field.length + texts.reduce<number>((sum, text) => sum + String(text).length, 0);
    if (this.characters > MAX_FILTER_TEXT) {
      return ruleBroken(
        `the fields and values of a filter have at most ${MAX_FILTER_TEXT} characters together`,
        given['value'],
      );
    }
    return { field, op, value } as Comparison<Name>;
  }

  /** Reads the name of a field of the vocabulary, or of a property where properties are allowed. */
  field(value: unknown): string | Failure {
    const field = readFieldName(value, 1);
    if (failed(field) || Object.hasOwn(this.vocabulary, field)) return field;
    if (this.hasProperties && pathOfProperty(field) !== null) return field;
    if (this.hasProperties && field.startsWith(PROPERTY_PREFIX)) {
      return ruleBroken(`a property is named by 1 to ${MAX_PATH_NAMES} names with dots between`, value);
    }
    const known = [...Object.keys(this.vocabulary), ...(this.hasProperties ? [`${PROPERTY_PREFIX}<path>`] : [])];
    return ruleBroken(`unknown field; fields are ${known.join(', ')}`, value);
  }
}

/** Returns faults for unknown members. An ignored misspelt member would make the filter match more events. */
function unknownMembers(value: Members, known: readonly string[]): FaultyMember[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .slice(0, 10)
    .map((name) => faulty(name, ruleBroken(`unknown member; known here are ${known.join(', ')}`, value[name])));
}

function clashOf(op: OperatorName, type: FieldType, field: string): string | undefined {
  const { sql } = OPERATORS[op];
  if (type === 'text' && sql.text === null) return `${op} compares numbers, and ${field} is text`;
  if (type === 'number' && sql.number === null) return `${op} looks into text, and ${field} is a number`;
  return undefined;
}
