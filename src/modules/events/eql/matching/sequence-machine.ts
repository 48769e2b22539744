import type { KeyTuple, KeyValue } from './join-keys.js';
import type { MatchedEvent } from './matched-event.js';
import type { PendingBudget } from './pending-budget.js';
import type { SequencePlan } from './sequence-plan.js';
import { TrailingWindows } from './trailing-windows.js';

/** For each term, the key tuples of an event that matches the term, or undefined. */
export type TermHits = readonly (readonly KeyTuple[] | undefined)[];

export interface FoundSequence {
  readonly keys: readonly KeyValue[];
  /** One event for each stage. */
  readonly events: readonly MatchedEvent[];
}

/** An incomplete sequence: events that match the first stages. */
interface Partial {
  readonly key: KeyTuple;
  /** The stage that the last event matches. */
  stage: number;
  readonly events: MatchedEvent[];
  readonly firstMs: number;
  /** The time of the last event of each leading missing term, in milliseconds. */
  readonly leadingMs: readonly number[];
  isAlive: boolean;
}

interface LastHit {
  ms: number;
  ordinal: number;
}

const NONE: readonly number[] = [];
const NO_KEYS: readonly KeyTuple[] = [];
/** A queue is compacted when it has this many more dead entries than live ones. */
const MOST_DEAD = 1_024;

/**
 * Finds sequences in events, which must be pushed in ascending order. A key tuple has at most one partial in each
 * stage; a newer partial replaces an older one. An event is matched with the last stage first, so that it does not
 * follow itself.
 */
export class SequenceMachine {
  private readonly partials = new Map<string, Partial[]>();
  private alive = 0;
  /** The partials in the order of their first events. Empty without a maxspan, since only a maxspan ends partials. */
  private queue: Partial[] = [];
  private queueAt = 0;
  /** The last event of each missing term, by key. */
  private readonly hits: readonly Map<string, LastHit>[];
  private hitQueue: { readonly term: number; readonly id: string; readonly ms: number }[] = [];
  private hitQueueAt = 0;
  private readonly lookedFor: readonly number[];
  private readonly leads: boolean;
  private readonly trailing: TrailingWindows<FoundSequence> | null;

  /** @param found receives each complete sequence */
  constructor(
    private readonly plan: SequencePlan,
    private readonly budget: PendingBudget,
    private readonly found: (sequence: FoundSequence) => void,
  ) {
    this.lookedFor = [...new Set(plan.gaps.flat())];
    this.leads = (plan.gaps[0] ?? []).length > 0;
    this.hits = this.lookedFor.map(() => new Map());
    this.trailing = plan.trailing.length === 0 ? null : new TrailingWindows(found, budget);
  }

  /** @throws QueryNeedsTooMuchMemory */
  push(event: MatchedEvent, hits: TermHits): void {
    const { plan } = this;
    this.expire(event.ms);
    this.trailing?.endBefore(event.ms);
    for (const term of plan.trailing) for (const { id } of hits[term] ?? []) this.trailing?.drop(id);
    for (let stage = plan.stages.length - 1; stage >= 0; stage -= 1) {
      for (const key of hits[plan.stages[stage] ?? 0] ?? NO_KEYS) this.reach(stage, key, event);
    }
    if (plan.until !== null) for (const { id } of hits[plan.until] ?? []) this.dropAll(id);
    for (let at = 0; at < this.lookedFor.length; at += 1) {
      for (const key of hits[this.lookedFor[at] ?? 0] ?? NO_KEYS) this.note(at, key, event);
    }
  }

  /** Reports the sequences that are complete after the last event. */
  end(): void {
    this.trailing?.endAll();
  }

  private reach(stage: number, key: KeyTuple, event: MatchedEvent): void {
    const { stages, gaps } = this.plan;
    if (stage === 0) {
      const leadingMs = this.leads ? (gaps[0] ?? []).map((term) => this.hitOf(term, key.id)?.ms ?? -Infinity) : NONE;
      const partial = { key, stage, events: [event], firstMs: event.ms, leadingMs, isAlive: true };
      if (stages.length === 1) this.complete(partial);
      else this.add(partial);
      return;
    }
    const partial = this.take(key.id, stage - 1);
    if (partial === null) return;
    const before = partial.events.at(-1)?.ordinal ?? 0;
    for (const term of gaps[stage] ?? []) if ((this.hitOf(term, key.id)?.ordinal ?? -1) > before) return;
    partial.events.push(event);
    partial.stage = stage;
    if (stage === stages.length - 1) this.complete(partial);
    else this.put(partial);
  }

  /**
   * Reports a complete sequence, unless an event occurred that must be missing. Leading events must be missing in the
   * maxspan that ends with the last event of the sequence. Trailing events must be missing in the maxspan that begins
   * with the first event. If a query has both, it is enough that one span of this length contains the sequence and none
   * of these events.
   */
  private complete({ key, events, firstMs, leadingMs }: Partial): void {
    const { maxspanMs } = this.plan;
    const lastMs = events.at(-1)?.ms ?? firstMs;
    const sequence = { keys: key.values, events };
    if (maxspanMs === null) {
      this.found(sequence);
      return;
    }
    const ledMs = Math.max(...leadingMs, -Infinity);
    if (this.trailing === null) {
      if (ledMs < lastMs - maxspanMs) this.found(sequence);
      return;
    }
    // A leading event in the same millisecond as the first event lies in every span.
    if (ledMs >= firstMs) return;
    const endMs = leadingMs.length === 0 ? firstMs + maxspanMs : Math.max(lastMs, ledMs + maxspanMs);
    this.trailing.add(key.id, endMs, sequence);
  }

  private add(partial: Partial): void {
    this.put(partial);
    if (this.plan.maxspanMs === null) return;
    this.queue.push(partial);
    if (this.queue.length - this.queueAt > 2 * this.alive + MOST_DEAD) {
      this.queue = this.queue.filter(({ isAlive }, at) => isAlive && at >= this.queueAt);
      this.queueAt = 0;
    }
  }

  /** Stores a partial in place of the older one of its key and stage. */
  private put(partial: Partial): void {
    this.budget.take(partial.key.weight);
    partial.isAlive = true;
    this.alive += 1;
    const { id } = partial.key;
    const others = this.partials.get(id);
    if (others === undefined) {
      this.partials.set(id, [partial]);
      return;
    }
    const older = placeOf(partial.stage, others);
    if (older < 0) {
      others.push(partial);
      return;
    }
    this.finish(others[older]);
    others[older] = partial;
  }

  /** Removes and returns the partial of a stage, or returns null when there is none. */
  private take(id: string, stage: number): Partial | null {
    const others = this.partials.get(id);
    if (others === undefined) return null;
    const at = placeOf(stage, others);
    const partial = others[at];
    if (partial === undefined) return null;
    if (others.length === 1) this.partials.delete(id);
    else others.splice(at, 1);
    this.finish(partial);
    return partial;
  }

  private dropAll(id: string): void {
    for (const partial of this.partials.get(id) ?? []) this.finish(partial);
    this.partials.delete(id);
  }

  private finish(partial: Partial | undefined): void {
    if (partial?.isAlive !== true) return;
    partial.isAlive = false;
    this.alive -= 1;
    this.budget.giveBack(partial.key.weight);
  }

  /**
   * Removes partials and hits that are older than maxspan, because no later event can complete a sequence with them.
   */
  private expire(nowMs: number): void {
    const { maxspanMs } = this.plan;
    if (maxspanMs === null) return;
    for (let next = this.queue[this.queueAt]; next !== undefined; next = this.queue[this.queueAt]) {
      if (next.firstMs + maxspanMs >= nowMs) break;
      this.queueAt += 1;
      if (next.isAlive) this.take(next.key.id, next.stage);
    }
    for (let next = this.hitQueue[this.hitQueueAt]; next !== undefined; next = this.hitQueue[this.hitQueueAt]) {
      if (next.ms + maxspanMs >= nowMs) break;
      this.hitQueueAt += 1;
      if (this.hits[next.term]?.get(next.id)?.ms !== next.ms) continue;
      this.hits[next.term]?.delete(next.id);
      this.budget.giveBack();
    }
    if (this.queueAt > MOST_DEAD) [this.queue, this.queueAt] = [this.queue.slice(this.queueAt), 0];
    if (this.hitQueueAt > MOST_DEAD) [this.hitQueue, this.hitQueueAt] = [this.hitQueue.slice(this.hitQueueAt), 0];
  }

  private note(term: number, { id }: KeyTuple, { ms, ordinal }: MatchedEvent): void {
    const hits = this.hits[term];
    const known = hits?.get(id);
    if (known === undefined) {
      this.budget.take();
      hits?.set(id, { ms, ordinal });
    } else {
      known.ordinal = ordinal;
      if (known.ms === ms) return;
      known.ms = ms;
    }
    this.hitQueue.push({ term, id, ms });
    const living = this.hits.reduce((sum, { size }) => sum + size, 0);
    if (this.hitQueue.length - this.hitQueueAt > 2 * living + MOST_DEAD) {
      this.hitQueue = this.hitQueue.filter(
        (hit, at) => at >= this.hitQueueAt && this.hits[hit.term]?.get(hit.id)?.ms === hit.ms,
      );
      this.hitQueueAt = 0;
    }
  }

  private hitOf(term: number, id: string): LastHit | undefined {
    return this.hits[this.lookedFor.indexOf(term)]?.get(id);
  }
}

/** Returns the index of the partial of the stage, or -1. */
function placeOf(stage: number, partials: readonly Partial[]): number {
  for (let at = 0; at < partials.length; at += 1) if (partials[at]?.stage === stage) return at;
  return -1;
}
