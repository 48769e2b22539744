import { setImmediate as nextTurn } from 'node:timers/promises';
import { JSON_TYPES, type JsonType, MAX_PATHS, PropertyScan } from './property-scan.js';

/** Limits of one sample. Further events are not read, and the answer reports the number of sampled events. */
export const SAMPLE_EVENTS = 500;
export const SAMPLE_BYTES = 4 * 1024 * 1024;
/** Number of tokens that are read before the event loop is yielded to other requests. Any token takes little time. */
const TOKENS_A_TURN = 20_000;

export interface SampledEvent {
  readonly event: string;
  readonly timestamp: Date;
  /** JSON text of an object. */
  readonly properties: string;
}

export interface ObservedProperty {
  /** The path, such as `card.number`. A path through the items of a list is written `lines[].sku`. */
  readonly path: string;
  /** The number of events that have the property. */
  readonly events: number;
  /**
   * The number of events for each type of the property, most frequent first. A list may have several types in one
   * event.
   */
  readonly types: readonly { readonly type: JsonType; readonly events: number }[];
}

export interface ObservedType {
  readonly event: string;
  readonly events: number;
  readonly lastSeenAt: Date;
  readonly properties: readonly ObservedProperty[];
  /** Whether properties were left out: too many, too deep, or with too long a path. */
  readonly truncated: boolean;
}

interface Tally {
  events: number;
  lastSeenAt: Date;
  readonly paths: Map<string, { events: number; types: Map<JsonType, number> }>;
  truncated: boolean;
}

/**
 * Returns the properties of event types in a sample, the most frequent type first and properties by path. Yields the
 * event loop between parts of the work.
 */
export async function observeSchema(sample: readonly SampledEvent[]): Promise<ObservedType[]> {
  const tallies = new Map<string, Tally>();
  let left = TOKENS_A_TURN;
  for (const { event, timestamp, properties } of sample) {
    const tally = tallies.get(event) ?? { events: 0, lastSeenAt: timestamp, paths: new Map(), truncated: false };
    tallies.set(event, tally);
    tally.events += 1;
    if (timestamp > tally.lastSeenAt) tally.lastSeenAt = timestamp;
    const scan = new PropertyScan(properties);
    for (;;) {
      const read = scan.read(left);
      left -= read;
      if (left > 0) break;
      await nextTurn();
      left = TOKENS_A_TURN;
    }
    if (!scan.isWhole) tally.truncated = true;
    for (const [path, types] of scan.paths) count(tally, path, types);
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
