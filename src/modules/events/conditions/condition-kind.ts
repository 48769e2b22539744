import {
  enumOf,
  failed,
  type Failure,
  Faults,
  type FieldOptions,
  int,
  isObject,
  type Kind,
  KindField,
  list,
  missing,
  namedSchema,
  number,
  objectExpected,
  type Read,
  ruleBroken,
} from '../../../platform/http/validation/index.js';
import {
  type Aggregate,
  AGGREGATES,
  COMPARE_SECONDS,
  COMPARED_BY,
  type Condition,
  CONDITION_KINDS,
  type ConditionKind,
  COUNTING_AGGREGATES,
  DIRECTIONS,
  PERCENT,
  WINDOW_SECONDS,
} from './conditions.js';
import { EVENT_FIELDS, typeOfField } from './filter.js';
import { StoredFilterRefused } from './filter-kind.js';
import { FINDING_FIELDS, FINDING_KINDS, FINDING_SEVERITIES } from './finding-fields.js';
import { FilterReader, OPEN_MEMBERS } from './filter-reader.js';
import { conditionSchemas, storedSchema } from './grammar-schemas.js';
import { faulty, readerOf } from './operators/reading.js';

const readKind = readerOf(enumOf(CONDITION_KINDS));
const readField: Read<string> = (value) => {
  const field = new FilterReader(EVENT_FIELDS).field(value);
  if (failed(field) || typeOfField(field, EVENT_FIELDS) !== 'text') return field;
  return ruleBroken('aggregate_field is a property or a field that holds numbers', value);
};
const WINDOW = readerOf(int(WINDOW_SECONDS));
const MEASURED = { window_seconds: WINDOW, aggregate: readerOf(enumOf(AGGREGATES)) };

/** The required members of each kind, in addition to the filter. */
const MEMBERS: Readonly<Record<ConditionKind, Readonly<Record<string, Read<unknown>>>>> = {
  match: {},
  threshold: { ...MEASURED, op: readerOf(enumOf(COMPARED_BY)), value: readerOf(number()) },
  rate_of_change: {
    ...MEASURED,
    compare_seconds: readerOf(int(COMPARE_SECONDS)),
    direction: readerOf(enumOf(DIRECTIONS)),
    percent: readerOf(number(PERCENT)),
  },
  absence: { window_seconds: WINDOW },
  anomaly: {},
};

const CONDITION_DOCUMENT = namedSchema('AlertCondition', conditionSchemas());
/** The API document of a condition in a response. */
export const STORED_CONDITION_DOCUMENT = storedSchema('AlertCondition', conditionSchemas());

/** The optional members of the kind `anomaly`. */
const ANOMALY_MEMBERS: Readonly<Record<string, Read<unknown>>> = {
  finding_kinds: readerOf(list(enumOf(FINDING_KINDS), { min: 1, max: FINDING_KINDS.length })),
  min_severity: readerOf(enumOf(FINDING_SEVERITIES)),
};

/** Describes and reads a condition of any kind. Every fault is reported with its location in the condition. */
function condition(): Kind<Condition> {
  return { document: CONDITION_DOCUMENT, open: OPEN_MEMBERS, build: () => readCondition };
}

/** Declares a property that is a `Condition`. Its value is read and checked. */
export const ConditionField = (options: FieldOptions<Condition> = {}): PropertyDecorator =>
  KindField(condition(), options);

/**
 * Reads a stored condition, which was checked when it was stored.
 * @throws StoredFilterRefused when the current grammar refuses the condition
 */
export function storedCondition(value: unknown): Condition {
  const read = readCondition(value);
  if (failed(read)) throw new StoredFilterRefused(read);
  return read;
}

function readCondition(value: unknown): Condition | Failure {
  if (!isObject(value)) return objectExpected(value);
  const kind = value['kind'] === undefined ? missing(value) : readKind(value['kind'], 1);
  if (failed(kind)) return new Faults([faulty('kind', kind)]);
  const members = MEMBERS[kind];
  const isMeasured = 'aggregate' in members;
  const optional = kind === 'anomaly' ? ANOMALY_MEMBERS : {};
  const names = ['kind', ...Object.keys({ ...members, ...optional }), ...(isMeasured ? ['aggregate_field'] : [])];
  // Findings have no properties.
  const reader = kind === 'anomaly' ? new FilterReader(FINDING_FIELDS, false) : new FilterReader(EVENT_FIELDS);
  const group = reader.group(value, 1, names);
  const refused = group instanceof Faults ? [...group.members] : [];
  const result: Record<string, unknown> = { kind };
  for (const [name, read] of Object.entries(members)) {
    const member = value[name] === undefined ? missing(value) : read(value[name], 1);
    if (failed(member)) refused.push(faulty(name, member));
    else result[name] = member;
  }
  for (const [name, read] of Object.entries(optional)) {
    if (value[name] === undefined || value[name] === null) continue;
    const member = read(value[name], 1);
    if (failed(member)) refused.push(faulty(name, member));
    else result[name] = member;
  }
  if (isMeasured) {
    const field = aggregateField(value, result['aggregate'] as Aggregate | undefined);
    if (failed(field)) refused.push(faulty('aggregate_field', field));
    else if (field !== undefined) result['aggregate_field'] = field;
  }
  return refused.length > 0 ? new Faults(refused) : ({ ...result, ...group } as unknown as Condition);
}

/**
 * Reads `aggregate_field`. It is required for aggregates of values, and refused for counts of events. Null is the same
 * as a missing member.
 */
function aggregateField(
  value: Readonly<Record<string, unknown>>,
  aggregate: Aggregate | undefined,
): string | undefined | Failure {
  if (aggregate === undefined) return undefined;
  const given = value['aggregate_field'] ?? undefined;
  const counts = COUNTING_AGGREGATES.includes(aggregate);
  return readAggregateField(given, { aggregate, counts, takesText: false, container: value });
}

/**
 * Reads the field of an aggregate.
 * @param given undefined when the field is left out
 * @param options.counts whether the aggregate counts events and takes no field
 * @param options.container the object that is reported when the required field is missing
 */
export function readAggregateField(
  given: unknown,
  options: {
    readonly aggregate: string;
    readonly counts: boolean;
    readonly takesText: boolean;
    readonly container: unknown;
  },
): string | undefined | Failure {
  const { aggregate, counts, takesText, container } = options;
  if (given === undefined) return counts ? undefined : missing(container);
  if (counts) return ruleBroken(`${aggregate} counts events and takes no aggregate_field`, given);
  return takesText ? new FilterReader(EVENT_FIELDS).field(given) : readField(given, 1);
}
