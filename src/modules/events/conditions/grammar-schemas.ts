import {
  type Document,
  type JsonSchema,
  namedSchema,
  schemaOf,
  union,
} from '../../../platform/http/validation/index.js';
import {
  AGGREGATES,
  COMPARE_SECONDS,
  COMPARED_BY,
  COUNTING_AGGREGATES,
  DIRECTIONS,
  PERCENT,
  WINDOW_SECONDS,
} from './conditions.js';
import {
  EVENT_FIELDS,
  MAX_FIELD_LENGTH,
  MAX_FILTER_DEPTH,
  MAX_FILTER_NODES,
  MAX_FILTER_TEXT,
  MAX_PATH_NAMES,
  MAX_PATTERNS,
  type Vocabulary,
} from './filter.js';
import { FINDING_FIELDS, FINDING_KINDS, FINDING_SEVERITIES } from './finding-fields.js';
import { OPERAND_SCHEMAS, type OperandName } from './operators/operands.js';
import { OPERATOR_NAMES, type OperatorName, OPERATORS } from './operators/registry.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Returns the schema of a stored filter or condition: the current grammar, or any object that an earlier version
 * accepted.
 */
export function storedSchema(name: string, schemas: Schemas): Document {
  const outdated = {
    type: 'object',
    additionalProperties: true,
    description: 'One that an earlier version took and this one does not; its error says why.',
  };
  return namedSchema(`Stored${name}`, {
    ...schemas,
    [`Stored${name}`]: { anyOf: [schemaOf(name), schemaOf('Outdated')] },
    Outdated: outdated,
  });
}

/** The name of the schema of `properties.<path>`, which all vocabularies with properties share. */
const PROPERTY = 'PropertyField';

const describedAs = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });
const closed = (properties: Schemas, rest: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});

/**
 * Returns the grammar of filters as JSON Schema, under names that begin with `prefix`. The schema checks each part
 * separately. The descriptions state the rules that a schema cannot express: `eq` takes the type of its field, and the
 * total size of a filter is limited.
 * @param hasProperties whether `properties.<path>` is a field in addition to the vocabulary
 */
export function filterSchemas(prefix: string, vocabulary: Vocabulary, hasProperties = true): Schemas {
  const filter = schemaOf(`${prefix}Filter`);
  const members = {
    all: { type: 'array', items: filter, minItems: 1, description: 'Every one of these fits' },
    any: { type: 'array', items: filter, minItems: 1, description: 'One of these fits at least' },
    not: describedAs(filter, 'This does not fit'),
  };
  const operands = [...new Set(OPERATOR_NAMES.map((name) => OPERATORS[name].operand))];
  const nameOf = (operand: OperandName): string => `${prefix}${OPERAND_SCHEMAS[operand].name}`;
  const fieldNames = (type: 'text' | 'number'): string[] =>
    Object.keys(vocabulary).filter((name) => vocabulary[name] === type);
  return {
    [`${prefix}Filter`]: {
      oneOf: [schemaOf(`${prefix}Comparison`), schemaOf(`${prefix}FilterGroup`)],
      description: `A comparison, or a group of filters: ${MAX_FILTER_DEPTH} levels deep at most and of ${MAX_FILTER_NODES} parts, of which ${MAX_PATTERNS} are patterns. Fields and values have at most ${MAX_FILTER_TEXT} characters together.`,
    },
    [`${prefix}FilterGroup`]: closed(members, {
      minProperties: 1,
      description: 'All that is given must hold. Unknown members are refused.',
    }),
    [`${prefix}Comparison`]: describedAs(
      union('op', Object.fromEntries(OPERATOR_NAMES.map((name) => [name, nameOf(OPERATORS[name].operand)]))),
      'One field compared with a value. Text never equals a number; a missing field fits `ne` and `exists` false alone.',
    ),
    ...Object.fromEntries(
      operands.map((operand) => [nameOf(operand), comparison(prefix, operand, operatorsOf(operand), hasProperties)]),
    ),
    [`${prefix}TextField`]: { type: 'string', enum: fieldNames('text'), description: 'A field that holds text.' },
    [`${prefix}NumberField`]: {
      type: 'string',
      enum: fieldNames('number'),
      description: 'A field that holds numbers, derived as in the log.',
    },
    ...(hasProperties
      ? { [PROPERTY]: PROPERTY_SCHEMA }
      : { [`${prefix}Field`]: { type: 'string', enum: Object.keys(vocabulary), description: 'Any of these fields.' } }),
  };
}

const operatorsOf = (operand: OperandName): OperatorName[] =>
  OPERATOR_NAMES.filter((name) => OPERATORS[name].operand === operand);

const PROPERTY_SCHEMA = {
  type: 'string',
  pattern: `^properties(\\.[^.]+){1,${MAX_PATH_NAMES}}$`,
  maxLength: MAX_FIELD_LENGTH,
  description: 'A property by its path, such as `properties.card.country`; a number is a place in a list, from 0.',
};

function comparison(
  prefix: string,
  operand: OperandName,
  names: readonly OperatorName[],
  hasProperties: boolean,
): JsonSchema {
  const [first] = names;
  const { schema, description, op } = OPERAND_SCHEMAS[operand];
  const asks = (type: 'text' | 'number'): boolean => first !== undefined && OPERATORS[first].sql[type] !== null;
  const fields = [...(asks('text') ? ['Text'] : []), ...(asks('number') ? ['Number'] : [])];
  const named = hasProperties
    ? [...fields.map((type) => schemaOf(`${prefix}${type}Field`)), schemaOf(PROPERTY)]
    : [schemaOf(fields.length > 1 ? `${prefix}Field` : `${prefix}${fields[0] ?? ''}Field`)];
  const isOptional = first !== undefined && OPERATORS[first].whenLeftOut !== undefined;
  return closed(
    {
      field: {
        ...(named.length === 1 ? named[0] : { anyOf: named }),
        description: hasProperties ? 'A field by its name, or a property by its path' : 'A field by its name',
      },
      op: {
        type: 'string',
        ...(names.length === 1 ? { const: first } : { enum: names }),
        description: op,
      },
      value: schema,
    },
    { required: ['field', 'op', ...(isOptional ? [] : ['value'])], description },
  );
}

const KINDS = {
  match: 'MatchCondition',
  threshold: 'ThresholdCondition',
  rate_of_change: 'RateOfChangeCondition',
  absence: 'AbsenceCondition',
  anomaly: 'AnomalyCondition',
};

/** Returns the schemas of the conditions of rules, one for each kind. */
export function conditionSchemas(): Schemas {
  const filters = filterSchemas('Event', EVENT_FIELDS);
  const group = membersOf(filters, 'EventFilterGroup');
  const ofFindings = filterSchemas('Finding', FINDING_FIELDS, false);
  const window = seconds(WINDOW_SECONDS, 'How long the window is that ends at each look, in seconds');
  const measured = {
    window_seconds: window,
    aggregate: { type: 'string', enum: AGGREGATES, description: 'What is taken of the events of the window' },
    aggregate_field: {
      oneOf: [{ anyOf: [schemaOf('EventNumberField'), schemaOf(PROPERTY)] }, { type: 'null' }],
      description: `What it is taken of; ${COUNTING_AGGREGATES.map((name) => `\`${name}\``).join(' and ')} count events and take none`,
    },
  };
  return {
    ...filters,
    ...ofFindings,
    AlertCondition: describedAs(
      union('kind', KINDS),
      'What a rule watches for. The members of its filter stand beside the others; unknown ones are refused. `matches` takes regular expressions without back references and looking around, each of at most 200 characters and 256 places of characters once its repeats are written out.',
    ),
    MatchCondition: condition('match', 'Fires on each event that fits.', {}, group),
    ThresholdCondition: condition(
      'threshold',
      'Fires while a number of the window compares as said.',
      {
        ...measured,
        op: { type: 'string', enum: COMPARED_BY, description: 'How the number is compared' },
        value: { type: 'number', description: 'What it is compared with' },
      },
      group,
    ),
    RateOfChangeCondition: condition(
      'rate_of_change',
      'Fires while a number of the window differs from that of an earlier one.',
      {
        ...measured,
        compare_seconds: seconds(COMPARE_SECONDS, 'How long before this window the other one lies, in seconds'),
        direction: { type: 'string', enum: DIRECTIONS, description: 'Which way it must change' },
        percent: {
          type: 'number',
          exclusiveMinimum: PERCENT.gt,
          maximum: PERCENT.max,
          description: 'By how much at least, in percent of the earlier number',
        },
      },
      group,
    ),
    AbsenceCondition: condition(
      'absence',
      'Fires when no event of the window fits.',
      { window_seconds: window },
      group,
    ),
    AnomalyCondition: condition(
      'anomaly',
      'Fires by findings of Sentinel that fit; it takes no `group_by`.',
      {
        finding_kinds: {
          type: 'array',
          items: { type: 'string', enum: FINDING_KINDS },
          minItems: 1,
          maxItems: FINDING_KINDS.length,
          description: 'Which kinds of findings; every kind when left out',
        },
        min_severity: {
          type: 'string',
          enum: FINDING_SEVERITIES,
          description: 'The least severity of a finding; `warning` when left out',
        },
      },
      membersOf(ofFindings, 'FindingFilterGroup'),
    ),
  };
}

const membersOf = (schemas: Schemas, name: string): Schemas => (schemas[name] as { properties: Schemas }).properties;

/** The optional members of conditions. */
const OPTIONAL = new Set(['aggregate_field', 'finding_kinds', 'min_severity']);

function condition(kind: keyof typeof KINDS, description: string, members: Schemas, group: Schemas): JsonSchema {
  const required = ['kind', ...Object.keys(members).filter((name) => !OPTIONAL.has(name))];
  return closed(
    { kind: { type: 'string', const: kind, description: 'Of the condition' }, ...members, ...group },
    {
      required,
      description,
      ...('aggregate' in members && {
        if: { properties: { aggregate: { type: 'string', enum: COUNTING_AGGREGATES } } },
        then: { properties: { aggregate_field: { type: 'null' } } },
        else: { required: ['aggregate_field'], properties: { aggregate_field: { type: 'string' } } },
      }),
    },
  );
}

function seconds({ min, max }: { readonly min: number; readonly max: number }, description: string): JsonSchema {
  return { type: 'integer', minimum: min, maximum: max, description };
}
