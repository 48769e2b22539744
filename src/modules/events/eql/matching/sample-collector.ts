import { compareKeys, type KeyTuple, type KeyValue } from './join-keys.js';
import type { MatchedEvent } from './matched-event.js';
import type { PendingBudget } from './pending-budget.js';
import type { FoundSequence, TermHits } from './sequence-machine.js';

interface Group {
  readonly keys: readonly KeyValue[];
  /** The earliest events of each term. */
  readonly events: readonly MatchedEvent[][];
}

/** Collects the events for samples: for each key tuple, the earliest events of each term. */
export class SampleCollector {
  private readonly groups = new Map<string, Group>();
  /**
   * The maximum number of events of a term that samples may need. A sample may use some of them for its other terms.
   */
  private readonly most: number;

  constructor(
    private readonly terms: number,
    private readonly samplesPerKey: number,
    private readonly budget: PendingBudget,
  ) {
    this.most = samplesPerKey + terms - 1;
  }

  /** @throws QueryNeedsTooMuchMemory */
  push(event: MatchedEvent, hits: TermHits): void {
    for (const [term, tuples] of hits.entries()) {
      for (const tuple of tuples ?? []) {
        const events = this.groupOf(tuple).events[term];
        if (events === undefined || events.length >= this.most) continue;
        this.budget.take();
        events.push(event);
      }
    }
  }

  /**
   * Yields the samples in the order of their keys. Among samples of one key tuple, those of earlier events come first.
   */
  *samples(): Generator<FoundSequence> {
    const whole = [...this.groups.values()].filter(({ events }) => events.every(({ length }) => length > 0));
    for (const { keys, events } of whole.sort((a, b) => compareKeys(a.keys, b.keys))) {
      let left = this.samplesPerKey;
      for (const sample of combinations(events, [])) {
        yield { keys, events: sample };
        left -= 1;
        if (left === 0) break;
      }
    }
  }

  private groupOf({ id, values, weight }: KeyTuple): Group {
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    this.budget.take(weight);
    const group = { keys: values, events: Array.from({ length: this.terms }, () => []) };
    this.groups.set(id, group);
    return group;
  }
}

/** Yields combinations of one event from each list, all different. Combinations with earlier events come first. */
function* combinations(
  lists: readonly (readonly MatchedEvent[])[],
  taken: readonly MatchedEvent[],
): Generator<readonly MatchedEvent[]> {
  const [first, ...others] = lists;
  if (first === undefined) {
    yield taken;
    return;
  }
  for (const event of first) {
    if (!taken.includes(event)) yield* combinations(others, [...taken, event]);
  }
}
