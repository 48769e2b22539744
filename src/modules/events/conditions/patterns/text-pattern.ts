import { MACHINES } from './machine-pool.js';
import { MAX_PATTERN_LENGTH, MAX_SEARCHED, parsePattern, PatternFault } from './pattern-syntax.js';
import { sizeOf } from './position-automaton.js';

/** A pattern of a project that {@link patternFault} has checked. Its machine is built on first use. */
export class TextPattern {
  constructor(
    private readonly projectId: string,
    private readonly source: string,
  ) {}

  /** Builds the machine if necessary. Called directly before a search. @returns the steps that this took */
  prepare(): number {
    return MACHINES.prepare(this.projectId, this.source);
  }

  /** Returns whether the first 4,096 characters of the text contain a match. */
  isIn(text: string): boolean {
    return MACHINES.of(this.projectId, this.source).matches(text);
  }

  /** Returns the maximum number of operations on words of a search in the text. */
  stepsIn(text: string): number {
    const { stepsOfCharacter } = MACHINES.of(this.projectId, this.source);
    return stepsOfCharacter * Math.min(text.length, MAX_SEARCHED);
  }
}

/** Returns why a text is not a pattern, or null when it is one. */
export function patternFault(source: string): string | null {
  if (source.length > MAX_PATTERN_LENGTH) return `patterns have at most ${MAX_PATTERN_LENGTH} characters`;
  try {
    sizeOf(parsePattern(source));
    return null;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}
