import { isObject } from '../../../platform/http/validation/index.js';
import { ExactNumber } from '../../../platform/json/index.js';
import type { Redact } from '../../tenancy/projects/index.js';
import { type DraftOrRefusal, setMember } from '../core/index.js';

/** The names under which senders usually write the fields of an event. An earlier name takes precedence. */
const NAMES = {
  event_type: ['event_type', 'type', 'event', 'name'],
  source: ['source', 'service', 'app', 'host'],
  message: ['message', 'msg', 'log', 'body'],
  severity: ['severity', 'level', 'levelname'],
  event_id: ['event_id'],
  status: ['status'],
  environment: ['environment'],
  timestamp: ['timestamp', 'time', 'ts', '@timestamp', 'date'],
} as const;
/**
 * Objects whose members become properties, as in an ingestion body. For members of the same name, the later object
 * wins.
 */
const CONTAINERS: readonly string[] = ['payload', 'properties'];

const DEFAULT_TYPE = 'event';
const DEFAULT_SOURCE = 'json';

type Field = keyof typeof NAMES;

/** The field of each name, and the rank of the name among the names of that field. */
const PLACES: ReadonlyMap<string, { readonly field: Field; readonly rank: number }> = new Map(
  (Object.keys(NAMES) as Field[]).flatMap((field) =>
    NAMES[field].map((name, rank) => [name, { field, rank }] as const),
  ),
);

/** Values for events that do not have these fields. */
export interface JsonDefaults {
  readonly event_type?: string | undefined;
  readonly source?: string | undefined;
}

/**
 * Reads an event from a JSON object of any shape. Only text that is not empty is read as a field; the time may also be
 * a number. Members that are not read as a field become properties.
 * @param redact masks the members under the names that the sender gives them
 */
export function jsonDraft(sent: unknown, defaults: JsonDefaults, redact: Redact): DraftOrRefusal {
  if (!isObject(sent)) return { refusal: 'The event must be a JSON object' };
  const value = redact(sent);
  const names = namesOf(value);
  const textOf = (field: Field): string | undefined =>
    names[field] === undefined ? undefined : (value[names[field]] as string);
  return {
    draft: {
      event_type: textOf('event_type') ?? defaults.event_type ?? DEFAULT_TYPE,
      source: textOf('source') ?? defaults.source ?? DEFAULT_SOURCE,
      message: textOf('message'),
      severity: textOf('severity'),
      event_id: textOf('event_id'),
      status: textOf('status'),
      environment: textOf('environment'),
      timestamp: names.timestamp === undefined ? undefined : value[names.timestamp],
      properties: propertiesOf(value, names),
    },
  };
}

/**
 * Returns, for each field, the name under which the event has it. If it has several, the first name of `NAMES` wins.
 */
function namesOf(value: Record<string, unknown>): Partial<Record<Field, string>> {
  const names: Partial<Record<Field, string>> = {};
  for (const name of Object.keys(value)) {
    const place = PLACES.get(name);
    if (place === undefined) continue;
    const { field, rank } = place;
    const known = names[field];
    if (known !== undefined && (PLACES.get(known)?.rank ?? 0) < rank) continue;
    if (field === 'timestamp' ? isTime(value[name]) : isText(value[name])) names[field] = name;
  }
  return names;
}

/** Members are added one by one, which is several times faster than building a list of entries first. */
function propertiesOf(value: Record<string, unknown>, names: Partial<Record<Field, string>>): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const place = PLACES.get(name);
    const isField = place !== undefined && names[place.field] === name;
    if (!isField && !isContainer(value, name)) setMember(properties, name, value[name]);
  }
  for (const container of CONTAINERS) {
    if (!Object.hasOwn(value, container) || !isContainer(value, container)) continue;
    const members = value[container] as Record<string, unknown>;
    for (const name of Object.keys(members)) setMember(properties, name, members[name]);
  }
  return properties;
}

function isContainer(value: Record<string, unknown>, name: string): boolean {
  return CONTAINERS.includes(name) && isObject(value[name]);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTime(value: unknown): boolean {
  return isText(value) || typeof value === 'number' || value instanceof ExactNumber;
}
