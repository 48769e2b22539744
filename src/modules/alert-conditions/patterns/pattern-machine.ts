import { type Pattern, PatternFault, type Ranges } from './pattern-syntax.js';

/** A pattern may become so many states; with `MAX_SEARCHED` characters it bounds the work of one match. */
export const MAX_STATES = 500;
/** So many characters of a text are searched; `$` is the end of those. */
export const MAX_SEARCHED = 4_096;
/** Remembered sets of states; beyond it they are forgotten and found again. */
const MAX_SETS = 1_000;

type Step =
  | { readonly type: 'character'; readonly ranges: Ranges; readonly to: number }
  | { readonly type: 'split'; readonly to: readonly number[] }
  | { readonly type: 'start' | 'end'; readonly to: number }
  | { readonly type: 'match' };

/** The states the machine may be in after some characters, with the sets that may follow by class of character. */
interface StateSet {
  readonly states: readonly number[];
  readonly matched: boolean;
  readonly matchedAtEnd: boolean;
  readonly following: (StateSet | undefined)[];
}

/**
 * Searches texts for a pattern in time linear in their length, whatever the pattern: all ways to match are followed at
 * once (Thompson), and each set of states is worked out once.
 */
export class PatternMachine {
  private readonly steps: Step[] = [];
  private readonly first: number;
  /** Where classes of characters begin: within a class all characters lead to the same states. */
  private readonly boundaries: readonly number[];
  private readonly asciiClasses: readonly number[];
  private readonly sets = new Map<string, StateSet>();
  private beginning: StateSet;

  constructor(pattern: Pattern) {
    this.first = this.add(pattern, this.push({ type: 'match' }));
    this.boundaries = boundariesOf(this.steps);
    this.asciiClasses = Array.from({ length: 128 }, (_, code) => this.classOf(code));
    this.beginning = this.closure([this.first], true);
  }

  matches(text: string): boolean {
    let current = this.beginning;
    let left = MAX_SEARCHED;
    for (let at = 0; at < text.length && left > 0 && !current.matched; at++, left--) {
      const code = text.codePointAt(at) ?? 0;
      if (code > 0xffff) at++;
      const kind = code < 128 ? (this.asciiClasses[code] ?? 0) : this.classOf(code);
      current = current.following[kind] ?? this.follow(current, kind, code);
    }
    return current.matched || current.matchedAtEnd;
  }

  private follow(from: StateSet, kind: number, code: number): StateSet {
    if (this.sets.size > MAX_SETS) {
      this.sets.clear();
      this.beginning = this.closure([this.first], true);
    }
    const next = [this.first];
    for (const state of from.states) {
      const step = this.steps[state];
      if (step?.type === 'character' && holds(step.ranges, code)) next.push(step.to);
    }
    return (from.following[kind] = this.closure(next, false));
  }

  private closure(states: readonly number[], atStart: boolean): StateSet {
    const reached = this.reach(states, atStart, false);
    const key = `${atStart}:${reached.join()}`;
    const known = this.sets.get(key);
    if (known) return known;
    const isMatch = (state: number): boolean => this.steps[state]?.type === 'match';
    const made = {
      states: reached,
      matched: reached.some(isMatch),
      matchedAtEnd: this.reach(states, atStart, true).some(isMatch),
      following: [],
    };
    this.sets.set(key, made);
    return made;
  }

  /** The states reached without reading a character, in ascending order. */
  private reach(states: readonly number[], atStart: boolean, atEnd: boolean): number[] {
    const reached = new Set<number>(states);
    // A set being walked also yields what is added meanwhile.
    for (const state of reached) {
      const step = this.steps[state];
      if (step?.type === 'split') for (const to of step.to) reached.add(to);
      else if ((step?.type === 'start' && atStart) || (step?.type === 'end' && atEnd)) reached.add(step.to);
    }
    return [...reached].sort((a, b) => a - b);
  }

  private push(step: Step): number {
    if (this.steps.length >= MAX_STATES) throw new PatternFault('the pattern is too large; repeat less');
    return this.steps.push(step) - 1;
  }

  /** Adds the states of a pattern that go on at `next`, and gives its first one. */
  private add(pattern: Pattern, next: number): number {
    switch (pattern.type) {
      case 'set':
        return this.push({ type: 'character', ranges: pattern.ranges, to: next });
      case 'start':
      case 'end':
        return this.push({ type: pattern.type, to: next });
      case 'sequence':
        return pattern.items.reduceRight((after, item) => this.add(item, after), next);
      case 'choice':
        return this.push({ type: 'split', to: pattern.options.map((option) => this.add(option, next)) });
      case 'repeat':
        return this.addRepeat(pattern.item, pattern.min, pattern.max, next);
    }
  }

  private addRepeat(item: Pattern, min: number, max: number | null, next: number): number {
    let entry = next;
    if (max === null) {
      const to = [next];
      entry = this.push({ type: 'split', to });
      to.push(this.add(item, entry));
    } else {
      for (let optional = min; optional < max; optional++) {
        entry = this.push({ type: 'split', to: [next, this.add(item, entry)] });
      }
    }
    for (let required = 0; required < min; required++) entry = this.add(item, entry);
    return entry;
  }

  private classOf(code: number): number {
    let low = 0;
    let high = this.boundaries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.boundaries[middle] ?? 0) <= code) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function boundariesOf(steps: readonly Step[]): number[] {
  const boundaries = new Set<number>();
  for (const step of steps) {
    if (step.type !== 'character') continue;
    for (const [from, to] of step.ranges) boundaries.add(from).add(to + 1);
  }
  return [...boundaries].sort((a, b) => a - b);
}

function holds(ranges: Ranges, code: number): boolean {
  return ranges.some(([from, to]) => from <= code && code <= to);
}
