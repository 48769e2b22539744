import { setImmediate } from 'node:timers/promises';
import { YIELD_AFTER_MS } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { LiveRule } from '../live-rules.repository.js';
import type { CompiledRules } from './compiled-rules.js';
import { HitFinder, type SeriesHits } from './match-batch.js';
import type {
  AcceptedEvent,
  AcceptedEventsReader,
  AcceptedLocator,
  OutboxRow,
  OutboxSlice,
} from '../../../events/event-store/index.js';

/**
 * Events are read in groups of this many, or singly when they are large: as objects they take about 20 times their
 * bytes.
 */
const READ_AT_ONCE = 100;
const LARGE_BYTES = 1024 * 1024;
/** The clock is read once in this many filter evaluations. */
const LOOKS_AT_THE_CLOCK = 16;
/**
 * When the filters of a batch have run this long, the batch ends with the current event. Reading events and pauses do
 * not count.
 */
const LONGEST_MS = 200;
/** When a batch has this many series or more, it ends with the current event. */
const MOST_SERIES = 2_000;

export interface Evaluated {
  readonly hits: SeriesHits[];
  /** The ids of the rules that decided for at least one event whether it matches. */
  readonly answers: ReadonlySet<string>;
  /** The part of the batch that was evaluated: all of it, unless a limit was reached. */
  readonly taken: OutboxSlice[];
}

/** Returns the first `most` events of the rows. A row without events counts as one event. */
export function firstEvents(rows: readonly OutboxRow[], most: number): OutboxSlice[] {
  const outboxSlices: OutboxSlice[] = [];
  let left = most;
  for (const row of rows) {
    if (left <= 0) break;
    outboxSlices.push({ row, first: 1, last: Math.min(row.events, left) });
    left -= Math.max(1, row.events);
  }
  return outboxSlices;
}

/** Evaluates rules over the events of a batch until its limits are reached, and yields to the event loop in between. */
export async function evaluate(
  { events, compiled, db }: { events: AcceptedEventsReader; compiled: CompiledRules; db: Db },
  projectId: string,
  rules: readonly LiveRule[],
  batch: readonly OutboxSlice[],
  onFault: (rule: LiveRule, event: AcceptedLocator, error: unknown) => void,
): Promise<Evaluated> {
  await compiled.learn(rules);
  const wanted = compiled.wanted(rules);
  const finder = new HitFinder(rules, compiled, onFault);
  const pace = new Pace();
  const taken: OutboxSlice[] = [];
  // Fields other than properties are short.
  const mayBeLarge = wanted.fields.some((field) => field.startsWith('properties.'));
  for (const slice of slices(batch, READ_AT_ONCE)) {
    const areLarge = mayBeLarge && (await events.bytesOf(projectId, slice, db)) > LARGE_BYTES;
    for (const part of areLarge ? slices(slice, 1) : [slice]) {
      for (const event of await events.events(projectId, part, wanted, db)) {
        await pace.through(finder.evaluate(event));
        if (pace.spentMs > LONGEST_MS || finder.count >= MOST_SERIES) {
          return { ...found(finder), taken: joined([...taken, ...upTo(part, event)]) };
        }
      }
      taken.push(...part);
    }
  }
  return { ...found(finder), taken: joined(taken) };
}

function found({ hits, answers }: HitFinder): Pick<Evaluated, 'hits' | 'answers'> {
  return { hits, answers };
}

/** Yields to the event loop between steps of work, and measures how long the work took without these pauses. */
class Pace {
  private workedMs = 0;
  private sinceYieldMs = 0;
  private steps = 0;

  get spentMs(): number {
    return this.workedMs;
  }

  async through(work: Iterable<Promise<void> | undefined>): Promise<void> {
    let began = performance.now();
    for (const answer of work) {
      this.steps += 1;
      // A filter that returns a promise yields by itself.
      if (answer !== undefined) await answer;
      if (this.steps % LOOKS_AT_THE_CLOCK !== 0 || this.sinceYieldMs + performance.now() - began < YIELD_AFTER_MS)
        continue;
      this.worked(began);
      await setImmediate();
      this.sinceYieldMs = 0;
      began = performance.now();
    }
    this.worked(began);
  }

  private worked(since: number): void {
    const ms = performance.now() - since;
    this.workedMs += ms;
    this.sinceYieldMs += ms;
  }
}

/** Splits a batch into slices of at most `most` events. */
function* slices(batch: readonly OutboxSlice[], most: number): Generator<OutboxSlice[]> {
  let slice: OutboxSlice[] = [];
  let events = 0;
  for (const { row, first, last } of batch) {
    for (let from = first; from <= last;) {
      const to = Math.min(last, from + most - events - 1);
      slice.push({ row, first: from, last: to });
      events += to - from + 1;
      from = to + 1;
      if (events < most) continue;
      yield slice;
      slice = [];
      events = 0;
    }
    if (last < first) slice.push({ row, first, last });
  }
  if (slice.length > 0) yield slice;
}

/** Returns the part of a slice that ends with an event. */
function upTo(slice: readonly OutboxSlice[], { position, ordinal }: AcceptedEvent): OutboxSlice[] {
  const at = slice.findIndex(({ row }) => row.position === position);
  return slice.slice(0, at + 1).map((one, index) => (index === at ? { ...one, last: ordinal } : one));
}

/** Returns one slice for each row, from its first event on. */
function joined(outboxSlices: readonly OutboxSlice[]): OutboxSlice[] {
  const byRow = new Map<string, OutboxSlice>();
  for (const one of outboxSlices) byRow.set(one.row.position, { ...one, first: 1 });
  return [...byRow.values()];
}
