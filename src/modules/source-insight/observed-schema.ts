/** How much one look takes in; what goes beyond it is left out and said so. */
export const SAMPLE_EVENTS = 500;
export const SAMPLE_BYTES = 4 * 1024 * 1024;
export const MAX_PATHS = 200;
export const MAX_DEPTH = 6;
const MAX_PATH_LENGTH = 200;
/** What is read at a stretch. */
const CHARACTERS_A_TURN = 32 * 1024;

export const JSON_TYPES = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

export interface SampledEvent {
  readonly event: string;
  readonly timestamp: Date;
  /** JSON text of an object. */
  readonly properties: string;
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

/**
 * What event types look like, from a sample; most frequent type first, properties by path. Events are read one by one, so
 * that no more than one of them is in memory as objects.
 * @param turn waited for before more is read than takes a moment; what it gives ends the turn
 */
export async function observeSchema(
  sample: readonly SampledEvent[],
  turn: () => Promise<() => void>,
): Promise<ObservedType[]> {
  const tallies = new Map<string, Tally>();
  let characters = 0;
  for (const { event, timestamp, properties } of sample) {
    characters += properties.length;
    const end = characters < CHARACTERS_A_TURN ? undefined : await turn();
    if (end !== undefined) characters = properties.length;
    const tally = tallies.get(event) ?? { events: 0, lastSeenAt: timestamp, paths: new Map(), truncated: false };
    tallies.set(event, tally);
    tally.events += 1;
    if (timestamp > tally.lastSeenAt) tally.lastSeenAt = timestamp;
    const seen = new Map<string, Set<JsonType>>();
    const isWhole = collect(JSON.parse(properties) as object, '', 1, seen);
    if (!isWhole) tally.truncated = true;
    for (const [path, types] of seen) count(tally, path, types);
    end?.();
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
  if (Array.isArray(value)) {
    // All items have one path.
    const types = value.length === 0 ? undefined : typesAt(`${at}[]`, seen);
    if (types === undefined) return value.length === 0;
    for (const item of value) isWhole = take(item, `${at}[]`, types, depth, seen) && isWhole;
    return isWhole;
  }
  for (const name of Object.keys(value)) {
    const path = at === '' ? name : `${at}.${name}`;
    const types = typesAt(path, seen);
    if (types === undefined) isWhole = false;
    else isWhole = take((value as Record<string, unknown>)[name], path, types, depth, seen) && isWhole;
  }
  return isWhole;
}

/** Undefined: one path too many, or too long. */
function typesAt(path: string, seen: Map<string, Set<JsonType>>): Set<JsonType> | undefined {
  const known = seen.get(path);
  if (known !== undefined || path.length > MAX_PATH_LENGTH || seen.size >= MAX_PATHS) return known;
  const types = new Set<JsonType>();
  seen.set(path, types);
  return types;
}

function take(
  value: unknown,
  path: string,
  types: Set<JsonType>,
  depth: number,
  seen: Map<string, Set<JsonType>>,
): boolean {
  types.add(jsonType(value));
  if (typeof value !== 'object' || value === null) return true;
  return depth < MAX_DEPTH ? collect(value, path, depth + 1, seen) : isEmpty(value);
}

function isEmpty(value: object): boolean {
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0;
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
