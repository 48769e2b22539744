import { setImmediate } from 'node:timers/promises';
import { YIELD_AFTER_MS } from '../../../../platform/concurrency/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { LiveRule } from '../live-rules.repository.js';
import type { CompiledRules } from './compiled-rules.js';
import { HitFinder, type SeriesHits } from './match-batch.js';
import type {
  AcceptedEvent,
  AcceptedEventsReader,
  AcceptedPlace,
  OutboxRow,
  Stretch,
} from '../../../events/event-store/index.js';

/** Events read at a time, unless they are large together: as objects they take some twenty times their bytes. */
const READ_AT_ONCE = 100;
const LARGE_BYTES = 1024 * 1024;
/** Questions between two looks at the clock. */
const LOOKS_AT_THE_CLOCK = 16;
/** Time spent on questions in one batch, beyond the one that is being asked; reading and pauses do not count. */
const LONGEST_MS = 200;
/** Series of one batch, beyond those of the last event. */
const MOST_SERIES = 2_000;

export interface Evaluated {
  readonly hits: SeriesHits[];
  /** The ids of the rules that have told of some event whether it fits. */
  readonly answers: ReadonlySet<string>;
  /** What it took of the batch: all of it, unless that would have taken too long. */
  readonly taken: Stretch[];
}

/** The first events of rows, `most` of them; a row without events counts as one. */
export function firstEvents(rows: readonly OutboxRow[], most: number): Stretch[] {
  const stretches: Stretch[] = [];
  let left = most;
  for (const row of rows) {
    if (left <= 0) break;
    stretches.push({ row, first: 1, last: Math.min(row.events, left) });
    left -= Math.max(1, row.events);
  }
  return stretches;
}

/** Asks rules about the events of a batch, in turns with everything else that the process does, until its time is over. */
export async function evaluate(
  { events, compiled, db }: { events: AcceptedEventsReader; compiled: CompiledRules; db: Db },
  projectId: string,
  rules: readonly LiveRule[],
  batch: readonly Stretch[],
  onFault: (rule: LiveRule, event: AcceptedPlace, error: unknown) => void,
): Promise<Evaluated> {
  await compiled.learn(rules);
  const wanted = compiled.wanted(rules);
  const finder = new HitFinder(rules, compiled, onFault);
  const pace = new Pace();
  const taken: Stretch[] = [];
  // The other fields are short.
  const mayBeLarge = wanted.fields.some((field) => field.startsWith('properties.'));
  for (const slice of slices(batch, READ_AT_ONCE)) {
    const areLarge = mayBeLarge && (await events.bytesOf(projectId, slice, db)) > LARGE_BYTES;
    for (const part of areLarge ? slices(slice, 1) : [slice]) {
      for (const event of await events.events(projectId, part, wanted, db)) {
        await pace.through(finder.ask(event));
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

/** Lets others in between the steps of work, and knows how long the work took without them. */
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
      // It yields by itself.
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

/** Stretches of so many events at a time, at most. */
function* slices(batch: readonly Stretch[], most: number): Generator<Stretch[]> {
  let slice: Stretch[] = [];
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

/** The part of a slice that ends with an event. */
function upTo(slice: readonly Stretch[], { position, place }: AcceptedEvent): Stretch[] {
  const at = slice.findIndex(({ row }) => row.position === position);
  return slice.slice(0, at + 1).map((one, index) => (index === at ? { ...one, last: place } : one));
}

/** One stretch for each row, from its first event on. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const byRow = new Map<string, Stretch>();
  for (const one of stretches) byRow.set(one.row.position, { ...one, first: 1 });
  return [...byRow.values()];
}
