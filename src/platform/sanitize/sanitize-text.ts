import { maskAssignments } from './assignments.js';
import { maskIntroduced, maskIssued } from './credential-shapes.js';
import { KnownValues } from './known-values.js';
import { isSensitiveName } from './sensitive-names.js';
import { maskUrls } from './urls.js';

const MAX_INPUT = 16_384;
const MAX_OUTPUT = 500;
/** Masking and cutting can uncover a further pattern; in practice the second round changes nothing. */
const MAX_ROUNDS = 6;

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
// Control and invisible formatting characters other than line breaks: a credential split by one would pass unseen.
const INVISIBLE = /(?![\t\n\v\f\r\u0085])[\p{Cc}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * A foreign text (an answer's body, an error message) made fit to be stored and shown: credentials
 * masked, one line, at most 500 UTF-16 units. Only the first 16 KiB are read. Idempotent.
 * `known` are secrets of the very destination; they are masked in every encoding.
 */
export function sanitizeText(input: string, known: readonly string[] = []): string {
  const values = valuesOf(known);
  let text = values.mask(bounded(input, values)).replace(INVISIBLE, '');
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = cut(visible(maskOnce(text, values)));
    if (next === text) break;
    text = next;
  }
  return text;
}

/** The masking of {@link sanitizeText} alone, for log lines: no cut, line breaks stay. Reads 16 KiB at most. */
export function maskSecrets(text: string): string {
  return text.length < 6 ? text : maskOnce(bounded(text, NONE), NONE);
}

const NONE = new KnownValues([]);
/** The texts of one answer are cleaned of the same values, whose forms are worked out once. */
const MADE = new WeakMap<readonly string[], KnownValues>();

function valuesOf(known: readonly string[]): KnownValues {
  if (known.length === 0) return NONE;
  const values = MADE.get(known) ?? new KnownValues(known);
  MADE.set(known, values);
  return values;
}

function maskOnce(text: string, known: KnownValues): string {
  const structured = maskAssignments(maskIntroduced(known.mask(text), isSensitiveName));
  return maskIssued(maskUrls(structured));
}

/** Without the word that the bound tears apart, since half a credential is not recognised. */
function bounded(input: string, known: KnownValues): string {
  // What is handed in may have been cut before, where nobody looked at what stood there.
  if (input.length <= MAX_INPUT) return known.maskCutEnd(input, false);
  return known.maskCutEnd(input.slice(0, MAX_INPUT), true).replace(/\S{1,512}$/, '');
}

function visible(text: string): string {
  return text.replace(LINE_BREAKS, ' ').replace(LONE_SURROGATE, '\ufffd');
}

function cut(text: string): string {
  if (text.length <= MAX_OUTPUT) return text;
  const endsInsidePair = /[\ud800-\udbff]/.test(text.charAt(MAX_OUTPUT - 1));
  return text.slice(0, endsInsidePair ? MAX_OUTPUT - 1 : MAX_OUTPUT);
}
