import { isObject } from '../../../platform/http/fields/index.js';
import { ExactNumber } from '../../../platform/json/index.js';
import type { DraftOrRefusal } from '../core/index.js';

/** The usual names of the fields of an event, in the order in which they are looked for. */
const NAMES = {
  event_type: ['event_type', 'type', 'event', 'name'],
  source: ['source', 'service', 'app', 'host'],
  message: ['message', 'msg', 'log', 'body'],
  severity: ['severity', 'level', 'levelname'],
  event_id: ['event_id'],
  status: ['status'],
  environment: ['environment'],
} as const;
const TIME_NAMES = ['timestamp', 'time', 'ts', '@timestamp', 'date'] as const;
/** Members whose own members are properties, as in an ingestion body. The later one wins. */
const CONTAINERS = ['payload', 'properties'] as const;

const DEFAULT_TYPE = 'event';
const DEFAULT_SOURCE = 'json';

/** Values for events that do not name their own. */
export interface JsonDefaults {
  readonly event_type?: string | undefined;
  readonly source?: string | undefined;
}

type TextField = keyof typeof NAMES;

/**
 * Reads an event from JSON of any shape. Only text that is not empty counts as a name, and for the time also a number.
 * Members that name no field become properties.
 */
export function jsonDraft(value: unknown, defaults: JsonDefaults): DraftOrRefusal {
  if (!isObject(value)) return { refusal: 'The event must be a JSON object' };
  const taken = new Set<string>();
  const texts: Partial<Record<TextField, string>> = {};
  for (const field of Object.keys(NAMES) as TextField[]) {
    const name = NAMES[field].find((one) => isText(own(value, one)));
    if (name === undefined) continue;
    taken.add(name);
    texts[field] = value[name] as string;
  }
  const timeName = TIME_NAMES.find((one) => isTime(own(value, one)));
  if (timeName !== undefined) taken.add(timeName);
  const containers = CONTAINERS.filter((name) => isObject(own(value, name)));
  const properties = Object.entries(value).filter(([name]) => !taken.has(name) && !containers.includes(name as never));
  for (const name of containers) properties.push(...Object.entries(value[name] as object));
  return {
    draft: {
      ...texts,
      event_type: texts.event_type ?? defaults.event_type ?? DEFAULT_TYPE,
      source: texts.source ?? defaults.source ?? DEFAULT_SOURCE,
      timestamp: timeName === undefined ? undefined : value[timeName],
      properties: Object.fromEntries(properties),
    },
  };
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTime(value: unknown): boolean {
  return isText(value) || typeof value === 'number' || value instanceof ExactNumber;
}
