import { MACHINES } from './machine-pool.js';
import { MAX_PATTERN_LENGTH, MAX_SEARCHED, parsePattern, PatternFault } from './pattern-syntax.js';
import { sizeOf } from './position-automaton.js';

/** A pattern of a project, checked by {@link patternFault}. What it takes to search for it is made when it is asked. */
export class TextPattern {
  constructor(
    private readonly projectId: string,
    private readonly source: string,
  ) {}

  /** @returns the steps that it took to be ready for a search that follows at once, 0 when it was */
  prepare(): number {
    return MACHINES.prepare(this.projectId, this.source);
  }

  /** Whether the pattern is found in the first 4,096 characters of the text. */
  isIn(text: string): boolean {
    return MACHINES.of(this.projectId, this.source).matches(text);
  }

  /** What a search in the text costs at most, in operations on words. */
  stepsIn(text: string): number {
    const { stepsOfCharacter } = MACHINES.of(this.projectId, this.source);
    return stepsOfCharacter * Math.min(text.length, MAX_SEARCHED);
  }
}

/** Why a text is no pattern, or null when it is one. */
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
