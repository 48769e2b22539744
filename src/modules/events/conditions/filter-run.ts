import { setImmediate } from 'node:timers/promises';
import type { FilterSubject } from './filter.js';
import type { Matcher } from './matcher.js';
import type { Meter, Search } from './operators/search.js';

/** Steps before a run yields to other work. A step takes 1 to 3 ns, so a slice takes a few milliseconds. */
export const SLICE_STEPS = 1_000_000;
/** Steps of a comparison that does not search a text. */
const PLAIN_STEPS = 50;
/** Maximum number of steps of one filter on one subject. An accepted filter takes fewer on an event of one megabyte. */
const MAX_STEPS = 400_000_000;

/** A filter takes more steps than allowed, so whether it matches is unknown. */
export class FilterTooCostly extends Error {
  constructor() {
    super('The filter takes too many steps');
  }
}

/** Interrupts a filter at the end of its slice. The results of its searches are kept for the next slice. */
class SliceOver extends Error {}
const SLICE_OVER = new SliceOver();

/**
 * Evaluates filters on subjects, one after the other, in slices of a few milliseconds. The process does other work
 * between the slices, so that no filter or subject blocks it for long. An instance serves one task at a time.
 */
export class FilterRun implements Meter {
  private left = SLICE_STEPS;
  private taken = 0;
  private most = MAX_STEPS;
  /** Results of the searches of the current filter. */
  private readonly found = new Map<object, boolean>();

  constructor(private readonly pause: () => Promise<unknown> = () => setImmediate()) {}

  /** The steps that the last filter has taken so far. */
  get steps(): number {
    return this.taken;
  }

  /**
   * Returns whether the subject matches. The result is a promise only when the slice is over.
   * @param most the steps that this filter may take, if less than the general limit
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
    // A search may take more steps than a slice has. It may start while half of a slice is left, so that each slice
    // makes progress. Building the machine of its pattern takes at most half of a slice.
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
