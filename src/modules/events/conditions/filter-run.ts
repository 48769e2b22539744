import { setImmediate } from 'node:timers/promises';
import type { FilterSubject } from './filter.js';
import type { Matcher } from './matcher.js';
import type { Meter, Search } from './operators/search.js';

/** After so many steps others have their turn. A step is a nanosecond or three, so that is a few milliseconds. */
export const SLICE_STEPS = 1_000_000;
/** What a comparison costs that does not look through a text. */
const PLAIN_STEPS = 50;
/** One filter may take so many steps on one subject. What is accepted today takes less on an event of a megabyte. */
const MAX_STEPS = 400_000_000;

/** A filter takes more steps than it may; it neither fits nor does not. */
export class FilterTooCostly extends Error {
  constructor() {
    super('The filter takes too many steps');
  }
}

/** Thrown through a filter whose slice is over; what it has found out is kept for the next one. */
class SliceOver extends Error {}
const SLICE_OVER = new SliceOver();

/**
 * Asks filters about subjects, one after the other, in slices of a few milliseconds: whatever the filters and the
 * subjects, the process does other work in between. For one piece of work at a time.
 */
export class FilterRun implements Meter {
  private left = SLICE_STEPS;
  private taken = 0;
  private most = MAX_STEPS;
  /** What the searches of the filter at hand have found. */
  private readonly found = new Map<object, boolean>();

  constructor(private readonly pause: () => Promise<unknown> = () => setImmediate()) {}

  /** Steps that the last filter has taken so far. */
  get steps(): number {
    return this.taken;
  }

  /**
   * Whether the subject fits: at once, unless the slice is over.
   * @param most steps that it may take, of those that any filter may
   * @throws FilterTooCostly
   */
  fits(matches: Matcher, subject: FilterSubject, most = MAX_STEPS): boolean | Promise<boolean> {
    this.taken = 0;
    this.most = Math.min(most, MAX_STEPS);
    if (this.found.size > 0) this.found.clear();
    if (this.left <= 0) return this.later(matches, subject);
    try {
      return matches(subject, this);
    } catch (error) {
      if (error !== SLICE_OVER) throw error;
      return this.later(matches, subject);
    }
  }

  plain(): void {
    this.spend(PLAIN_STEPS);
  }

  search<T>(search: Search<T>, value: T): boolean {
    const known = this.found.get(search);
    if (known !== undefined) return known;
    if (search.prepare !== undefined) {
      if (this.left <= 0) throw SLICE_OVER;
      this.spend(search.prepare());
    }
    const steps = search.stepsIn(value);
    // What is more than a slice by itself begins in the first half of one, so that each slice gets on: what has to be made
    // before it takes no more than the other half.
    if (this.left < steps && this.left < SLICE_STEPS / 2) throw SLICE_OVER;
    this.spend(steps);
    const found = search.isIn(value);
    this.found.set(search, found);
    return found;
  }

  private spend(steps: number): void {
    this.left -= steps;
    this.taken += steps;
    if (this.taken > this.most) throw new FilterTooCostly();
  }

  private async later(matches: Matcher, subject: FilterSubject): Promise<boolean> {
    for (;;) {
      await this.pause();
      this.left = SLICE_STEPS;
      try {
        return matches(subject, this);
      } catch (error) {
        if (error !== SLICE_OVER) throw error;
      }
    }
  }
}
