/** How much one look takes in; what goes beyond it is left out and said so. */
export const SAMPLE_EVENTS = 500;
export const SAMPLE_BYTES = 4 * 1024 * 1024;
export const MAX_PATHS = 200;
export const MAX_DEPTH = 6;
const MAX_PATH_LENGTH = 200;

export const JSON_TYPES = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

export interface SampledEvent {
  readonly event: string;
  readonly timestamp: Date;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface ObservedProperty {
  /** `card.number`; items of a list are `lines[].sku`. */
  readonly path: string;
  /** Events that have it. */
  readonly events: number;
  /** Events in which it has the type, most frequent first; a list may hold several in one event. */
  readonly types: readonly { readonly type: JsonType; readonly events: number }[];
}

export interface ObservedType {
  readonly event: string;
  readonly events: number;
  readonly lastSeenAt: Date;
  readonly properties: readonly ObservedProperty[];
  /** Properties were left out: too many, too deep, or too long a name. */
  readonly truncated: boolean;
}

interface Tally {
  events: number;
  lastSeenAt: Date;
  readonly paths: Map<string, { events: number; types: Map<JsonType, number> }>;
  truncated: boolean;
}

/** What event types look like, from a sample; most frequent type first, properties by path. */
export function observeSchema(sample: readonly SampledEvent[]): ObservedType[] {
  const tallies = new Map<string, Tally>();
  for (const { event, timestamp, properties } of sample) {
    const tally = tallies.get(event) ?? { events: 0, lastSeenAt: timestamp, paths: new Map(), truncated: false };
    tallies.set(event, tally);
    tally.events += 1;
    if (timestamp > tally.lastSeenAt) tally.lastSeenAt = timestamp;
    const seen = new Map<string, Set<JsonType>>();
    const isWhole = collect(properties, '', 1, seen);
    if (!isWhole) tally.truncated = true;
    for (const [path, types] of seen) count(tally, path, types);
  }
  return [...tallies]
    .map(([event, tally]) => ({
      event,
      events: tally.events,
      lastSeenAt: tally.lastSeenAt,
      properties: [...tally.paths].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, of]) => observed(path, of)),
      truncated: tally.truncated,
    }))
    .sort((a, b) => b.events - a.events || (a.event < b.event ? -1 : 1));
}

/** Every path of one value with the types it has there. @returns false when something was left out */
function collect(value: object, at: string, depth: number, seen: Map<string, Set<JsonType>>): boolean {
  let isWhole = true;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value as Record<string, unknown>)) {
    const path = isList ? `${at}[]` : at === '' ? name : `${at}.${name}`;
    if (path.length > MAX_PATH_LENGTH || (seen.size >= MAX_PATHS && !seen.has(path))) {
      isWhole = false;
      continue;
    }
    const types = seen.get(path) ?? new Set();
    seen.set(path, types.add(jsonType(member)));
    if (typeof member !== 'object' || member === null) continue;
    if (depth < MAX_DEPTH) isWhole = collect(member, path, depth + 1, seen) && isWhole;
    else if (Object.keys(member).length > 0) isWhole = false;
  }
  return isWhole;
}

function count(tally: Tally, path: string, types: ReadonlySet<JsonType>): void {
  let known = tally.paths.get(path);
  if (known === undefined) {
    if (tally.paths.size >= MAX_PATHS) {
      tally.truncated = true;
      return;
    }
    known = { events: 0, types: new Map() };
    tally.paths.set(path, known);
  }
  known.events += 1;
  for (const type of types) known.types.set(type, (known.types.get(type) ?? 0) + 1);
}

function observed(path: string, { events, types }: { events: number; types: Map<JsonType, number> }): ObservedProperty {
  const byFrequency = [...types].sort(([a, m], [b, n]) => n - m || JSON_TYPES.indexOf(a) - JSON_TYPES.indexOf(b));
  return { path, events, types: byFrequency.map(([type, of]) => ({ type, events: of })) };
}

function jsonType(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as Exclude<JsonType, 'null' | 'array'>;
}
