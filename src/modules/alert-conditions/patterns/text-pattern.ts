import { PatternMachine } from './pattern-machine.js';
import { patternForPostgres } from './pattern-sql.js';
import { MAX_PATTERN_LENGTH, parsePattern, PatternFault } from './pattern-syntax.js';

/** A pattern ready to be searched for, here or by the database, with the same result. */
export class TextPattern {
  private readonly machine: PatternMachine;
  /** For PostgreSQL's `~`. */
  readonly sql: string;

  /** @throws PatternFault */
  constructor(source: string) {
    if (source.length > MAX_PATTERN_LENGTH)
      throw new PatternFault(`patterns have at most ${MAX_PATTERN_LENGTH} characters`);
    const pattern = parsePattern(source);
    this.machine = new PatternMachine(pattern);
    this.sql = patternForPostgres(pattern);
  }

  matches(text: string): boolean {
    return this.machine.matches(text);
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
