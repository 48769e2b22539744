import type { LogEntry } from '../../api/insight.js';
import { listIn } from '../../routes/logs-search.js';

export interface Column {
  /** The name in the address. Properties have their path. */
  readonly id: string;
  readonly label: string;
  /** The least width in pixels. */
  readonly width: number;
  /** The share of the remaining width. */
  readonly grows: number;
}

const OWN: readonly Column[] = [
  { id: 'time', label: 'Time', width: 118, grows: 0 },
  { id: 'severity', label: 'Severity', width: 62, grows: 0 },
  { id: 'method', label: 'Method', width: 52, grows: 0 },
  { id: 'path', label: 'Path', width: 96, grows: 2 },
  { id: 'http', label: 'HTTP', width: 40, grows: 0 },
  { id: 'latency', label: 'Latency', width: 76, grows: 0 },
  { id: 'event', label: 'Event', width: 104, grows: 1 },
  { id: 'source', label: 'Source', width: 90, grows: 0.6 },
  { id: 'message', label: 'Message', width: 110, grows: 3 },
  { id: 'status', label: 'Status', width: 80, grows: 0 },
  { id: 'environment', label: 'Environment', width: 100, grows: 0 },
  { id: 'key', label: 'API key', width: 90, grows: 0 },
  { id: 'id', label: 'ID', width: 290, grows: 0 },
];

export const COLUMN_IDS = OWN.map(({ id }) => id);
export const DEFAULT_COLUMNS = ['time', 'severity', 'method', 'path', 'http', 'latency', 'event', 'message'];
export const MAX_COLUMNS = 20;

/** Returns the columns that an address names, or else the default ones. */
export function columnIds(json: string | undefined): readonly string[] {
  const chosen = (listIn(json, MAX_COLUMNS) ?? []).filter((id) => columnOf(id) !== undefined);
  return chosen.length > 0 ? chosen : DEFAULT_COLUMNS;
}

/** Returns a column by its name in the address. Undefined: there is no such column. */
export function columnOf(id: string): Column | undefined {
  const own = OWN.find((each) => each.id === id);
  if (own !== undefined) return own;
  if (!/^properties\.[^]/.test(id) || id.length > 200) return undefined;
  return { id, label: id.slice('properties.'.length), width: 120, grows: 1 };
}

/** Returns the property of an event at a path. A property whose name is the whole path wins, as in the service. */
export function propertyAt(properties: Readonly<Record<string, unknown>>, path: string): unknown {
  const name = path.slice('properties.'.length);
  if (Object.hasOwn(properties, name)) return properties[name];
  return name.split('.').reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    return (value as Record<string, unknown>)[part];
  }, properties);
}

/** The most characters of a value that a row shows. */
const MAX_SHOWN_CHARACTERS = 400;

/** Returns a value of JSON as the text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_SHOWN_CHARACTERS);
}

/** Returns the message of an event, or else its properties. */
export function messageOf({ event }: LogEntry): string {
  return cellText(event.message ?? event.properties);
}
