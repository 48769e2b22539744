import { fold } from '../../../../platform/case-folding/index.js';
import {
  MAX_SEARCHED,
  parseFoldedPattern,
  parsePattern,
  PatternFault,
  PatternMachine,
} from '../../conditions/index.js';

/**
 * A regular expression that must match the whole text, in linear time. Only the first 4,096 characters are searched.
 */
export class RegexPattern {
  private constructor(
    private readonly machine: PatternMachine,
    private readonly isFolding: boolean,
  ) {}

  /** Reads a regular expression. @returns the reason as a text when the source is not a valid one */
  static read(source: string, isFolding: boolean): RegexPattern | string {
    const parse = isFolding ? parseFoldedPattern : parsePattern;
    try {
      // The source is parsed alone first, because an unmatched bracket in it would close the group around it.
      parse(source);
      return new RegexPattern(new PatternMachine(parse(`^(?:${source})$`)), isFolding);
    } catch (error) {
      if (error instanceof PatternFault) return error.message;
      throw error;
    }
  }

  /** The maximum number of operations on words for one character. */
  get stepsOfCharacter(): number {
    return this.machine.stepsOfCharacter;
  }

  matches(text: string): boolean {
    // A character has at most two UTF-16 units.
    const searched = text.length > 2 * MAX_SEARCHED ? text.slice(0, 2 * MAX_SEARCHED) : text;
    return this.machine.matches(this.isFolding ? fold(searched) : searched);
  }
}
