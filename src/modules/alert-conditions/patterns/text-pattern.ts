import { MACHINES } from './machine-pool.js';
import { patternForPostgres } from './pattern-sql.js';
import { MAX_PATTERN_LENGTH, MAX_SEARCHED, parsePattern, PatternFault } from './pattern-syntax.js';
import { checkSize } from './position-automaton.js';

/** A pattern ready to be searched for. */
export class TextPattern {
  /** @throws PatternFault */
  constructor(private readonly source: string) {
    if (source.length > MAX_PATTERN_LENGTH)
      throw new PatternFault(`patterns have at most ${MAX_PATTERN_LENGTH} characters`);
    checkSize(parsePattern(source));
  }

  /** Whether the pattern is found in the first 4,096 characters of the text. */
  isIn(text: string): boolean {
    return MACHINES.of(this.source).matches(text);
  }

  /** What a search in the text costs at most, in operations on words. */
  stepsIn(text: string): number {
    return MACHINES.of(this.source).stepsOfCharacter * Math.min(text.length, MAX_SEARCHED);
  }

  /** For PostgreSQL's `~`, with the same meaning. */
  get sql(): string {
    return patternForPostgres(parsePattern(this.source));
  }
}

/** Why a text is no pattern, or null when it is one. */
export function patternFault(source: string): string | null {
  try {
    new TextPattern(source);
    return null;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}
