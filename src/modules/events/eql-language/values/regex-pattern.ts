import { fold } from '../../../../platform/case-folding/index.js';
import {
  MAX_SEARCHED,
  parseFoldedPattern,
  parsePattern,
  PatternFault,
  PatternMachine,
} from '../../conditions/index.js';

/** A regular expression that the whole text has to fit, of its first 4,096 characters, in linear time. */
export class RegexPattern {
  private constructor(
    private readonly machine: PatternMachine,
    private readonly isFolding: boolean,
  ) {}

  /** @returns why it is none, when it is none */
  static read(source: string, isFolding: boolean): RegexPattern | string {
    const parse = isFolding ? parseFoldedPattern : parsePattern;
    try {
      // By itself first: brackets that it does not open would end ours.
      parse(source);
      return new RegexPattern(new PatternMachine(parse(`^(?:${source})$`)), isFolding);
    } catch (error) {
      if (error instanceof PatternFault) return error.message;
      throw error;
    }
  }

  /** Operations on words for a character, at most. */
  get stepsOfCharacter(): number {
    return this.machine.stepsOfCharacter;
  }

  matches(text: string): boolean {
    // A character is two units at most.
    const searched = text.length > 2 * MAX_SEARCHED ? text.slice(0, 2 * MAX_SEARCHED) : text;
    return this.machine.matches(this.isFolding ? fold(searched) : searched);
  }
}
