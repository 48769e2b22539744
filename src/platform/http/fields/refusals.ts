import type { ValidationError } from 'class-validator';
import { REDACTED } from './excerpt.js';
import { type FaultyMember, missing, ruleBroken } from './fault.js';

/** Sentences are their authors' own and may repeat what was sent. */
const MAX_SENTENCE = 1_000;

interface RefusedProperty {
  readonly name: string;
  readonly hidden: boolean;
  /** As it was sent, before any conversion. */
  readonly given: unknown;
  readonly lacking: unknown;
}

/** What class-validator says of a property: that it is missing, or a broken rule for each of its sentences. */
export function refusalsOf(error: ValidationError, { name, hidden, given, lacking }: RefusedProperty): FaultyMember[] {
  if (given === undefined) return [{ key: name, secret: false, fault: missing(lacking) }];
  return Object.values(error.constraints ?? {}).map((sentence) => ({
    key: name,
    secret: hidden,
    fault: ruleBroken((hidden ? withoutValue(sentence, [given, error.value]) : sentence).slice(0, MAX_SENTENCE), given),
  }));
}

/** A sentence may hold `$value`. */
function withoutValue(sentence: string, values: readonly unknown[]): string {
  return values.reduce<string>((text, value) => {
    const word = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return word === '' ? text : text.replaceAll(word, REDACTED);
  }, sentence);
}
