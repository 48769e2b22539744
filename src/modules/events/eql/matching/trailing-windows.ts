import type { PendingBudget } from './pending-budget.js';

interface Waiting<T> {
  readonly id: string;
  /** The end of the window in milliseconds, inclusive. An event within the window discards the result. */
  readonly endMs: number;
  /** The order of arrival. Among windows with the same end, the first one is reported first. */
  readonly number: number;
  readonly result: T;
  isAlive: boolean;
}

/**
 * Holds results until their windows end, unless an event discards them. Reports results in the order in which their
 * windows end.
 */
export class TrailingWindows<T> {
  /** A heap, ordered by the ends of windows. */
  private readonly heap: Waiting<T>[] = [];
  private readonly byId = new Map<string, Waiting<T>[]>();
  private count = 0;

  constructor(
    private readonly found: (result: T) => void,
    private readonly budget: PendingBudget,
  ) {}

  add(id: string, endMs: number, result: T): void {
    this.budget.take();
    const waiting = { id, endMs, number: (this.count += 1), result, isAlive: true };
    this.push(waiting);
    const others = this.byId.get(id);
    if (others === undefined) this.byId.set(id, [waiting]);
    else others.push(waiting);
  }

  /** Discards the results of a key, because an event occurred that must be missing. */
  drop(id: string): void {
    for (const waiting of this.byId.get(id) ?? []) waiting.isAlive = false;
    this.byId.delete(id);
  }

  endBefore(ms: number): void {
    for (let first = this.heap[0]; first !== undefined && first.endMs < ms; first = this.heap[0]) this.end(first);
  }

  endAll(): void {
    this.endBefore(Infinity);
  }

  private end(waiting: Waiting<T>): void {
    this.pop();
    this.budget.giveBack();
    if (!waiting.isAlive) return;
    const others = this.byId.get(waiting.id) ?? [];
    others.splice(others.indexOf(waiting), 1);
    if (others.length === 0) this.byId.delete(waiting.id);
    this.found(waiting.result);
  }

  private push(waiting: Waiting<T>): void {
    const { heap } = this;
    let at = heap.push(waiting) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, waiting)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = waiting;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const below = 2 * at + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      const least = right !== undefined && isBefore(right, left) ? right : left;
      if (isBefore(last, least)) break;
      heap[at] = least;
      at = least === left ? below : below + 1;
    }
    heap[at] = last;
  }
}

function isBefore<T>(one: Waiting<T>, other: Waiting<T>): boolean {
  return one.endMs < other.endMs || (one.endMs === other.endMs && one.number < other.number);
}
