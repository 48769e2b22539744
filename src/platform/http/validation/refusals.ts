import type { ValidationError } from 'class-validator';
import { REDACTED } from './excerpt.js';
import { type FaultyMember, missing, ruleBroken } from './fault.js';

/** The maximum length of a message. Constraints write their own messages, which may repeat the value. */
const MAX_SENTENCE = 1_000;

interface RefusedProperty {
  readonly name: string;
  readonly hidden: boolean;
  /** The value as it was sent, before any conversion. */
  readonly given: unknown;
  readonly lacking: unknown;
}

/** Converts an error of class-validator to a fault of a missing property, or to one fault for each message. */
export function refusalsOf(error: ValidationError, { name, hidden, given, lacking }: RefusedProperty): FaultyMember[] {
  if (given === undefined) return [{ key: name, secret: false, fault: missing(lacking) }];
  return Object.values(error.constraints ?? {}).map((sentence) => ({
    key: name,
    secret: hidden,
    fault: ruleBroken((hidden ? withoutValue(sentence, [given, error.value]) : sentence).slice(0, MAX_SENTENCE), given),
  }));
}

/** Removes the value from a message, because the message of a constraint may contain it (`$value`). */
function withoutValue(sentence: string, values: readonly unknown[]): string {
  return values.reduce<string>((text, value) => {
    const word = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return word === '' ? text : text.replaceAll(word, REDACTED);
  }, sentence);
}
