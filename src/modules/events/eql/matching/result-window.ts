import type { Pipe } from '../../eql-language/index.js';
import type { PendingBudget } from './pending-budget.js';

export const RESULT_POSITIONS = ['tail', 'head'] as const;
export type ResultPosition = (typeof RESULT_POSITIONS)[number];

export interface Shown<T> {
  readonly items: readonly T[];
  /** Whether there were more results. */
  readonly hasMore: boolean;
}

/** Receives items one by one. `add` returns whether the sink wants another item. */
interface Sink<T> {
  add(item: T): boolean;
  end(): void;
}

/** Applies the pipes of a query to its results, and keeps the first or the last ones of them. */
export class ResultWindow<T> {
  private readonly first: Sink<T>;
  private readonly kept: Tail<T>;

  constructor(
    pipes: readonly Pipe[],
    private readonly limit: number,
    position: ResultPosition,
    budget: PendingBudget,
  ) {
    this.kept = new Tail(limit + 1, budget, null);
    let sink: Sink<T> = position === 'tail' ? this.kept : new Head(limit + 1, this.kept);
    for (const { name, count } of [...pipes].reverse()) {
      sink = name === 'head' ? new Head(count, sink) : new Tail(count, budget, sink);
    }
    this.first = sink;
    this.position = position;
  }

  private readonly position: ResultPosition;

  /** Whether the window needs all items, however many there are. */
  get wantsAll(): boolean {
    return this.first instanceof Tail;
  }

  /** @returns whether more items may be wanted */
  add(item: T): boolean {
    return this.first.add(item);
  }

  /** Returns the results after the last item. */
  end(): Shown<T> {
    this.first.end();
    const { items } = this.kept;
    const hasMore = items.length > this.limit;
    return { items: this.position === 'tail' ? items.slice(-this.limit) : items.slice(0, this.limit), hasMore };
  }
}

class Head<T> implements Sink<T> {
  private left: number;

  constructor(
    count: number,
    private readonly next: Sink<T>,
  ) {
    this.left = count;
  }

  add(item: T): boolean {
    if (this.left === 0) return false;
    this.left -= 1;
    return this.next.add(item) && this.left > 0;
  }

  end(): void {
    this.next.end();
  }
}

/** Keeps the last items, and passes them on after the last one. */
class Tail<T> implements Sink<T> {
  private ring: T[] = [];
  private at = 0;

  constructor(
    private readonly count: number,
    private readonly budget: PendingBudget,
    private readonly next: Sink<T> | null,
  ) {}

  get items(): readonly T[] {
    return [...this.ring.slice(this.at), ...this.ring.slice(0, this.at)];
  }

  add(item: T): boolean {
    if (this.ring.length < this.count) {
      this.budget.take();
      this.ring.push(item);
      return true;
    }
    this.ring[this.at] = item;
    this.at = (this.at + 1) % this.count;
    return true;
  }

  end(): void {
    if (this.next === null) return;
    for (const item of this.items) if (!this.next.add(item)) break;
    this.next.end();
  }
}
