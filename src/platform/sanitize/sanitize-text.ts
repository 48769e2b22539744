import { maskAssignments } from './assignments.js';
import { maskIntroduced, maskIssued } from './credential-shapes.js';
import { KnownValues } from './known-values.js';
import { isSensitiveName } from './sensitive-names.js';
import { maskUrls } from './urls.js';

const MAX_INPUT = 16_384;
const MAX_OUTPUT = 500;
const MAX_LONG_OUTPUT_BYTES = 16_384;
/**
 * Maximum number of rounds. Masking and cutting can make another pattern visible, so they are repeated until nothing
 * changes, which is usually in the second round.
 */
const MAX_ROUNDS = 6;

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
// Matches control and invisible formatting characters, except line breaks. Such characters could hide a credential by
// splitting it.
const INVISIBLE = /(?![\t\n\v\f\r\u0085])[\p{Cc}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Returns a text from another system (such as the body of an answer or an error message) in a form that is safe to
 * store and show: with masked credentials, on one line, with at most 500 UTF-16 units. Reads only the first 16 KiB.
 * Idempotent. `known` are secrets of the destination, which are masked in every encoding.
 */
export function sanitizeText(input: string, known: readonly string[] = []): string {
  return sanitized(input, valuesOf(known), (text) => cut(visible(text)));
}

/**
 * Returns a long text, such as the body of a request, in a form that is safe to store and show. Masks like {@link
 * sanitizeText}, but keeps line breaks and up to 16 KiB of UTF-8.
 */
export function sanitizeLongText(
  input: string,
  known: readonly string[] = [],
): { readonly text: string; readonly isTruncated: boolean } {
  let isTruncated = input.length > MAX_INPUT;
  const text = sanitized(input, valuesOf(known), (masked) => {
    const bytes = Buffer.from(masked, 'utf8');
    isTruncated ||= bytes.length > MAX_LONG_OUTPUT_BYTES;
    // A character that the limit cuts in two is omitted.
    return new TextDecoder().decode(bytes.subarray(0, MAX_LONG_OUTPUT_BYTES), { stream: true });
  });
  return { text, isTruncated };
}

/**
 * Masks like {@link sanitizeText}, for log lines. Keeps line breaks and does not shorten the text, but reads at most 16
 * KiB.
 */
export function maskSecrets(text: string): string {
  return text.length < 6 ? text : maskOnce(bounded(text, NONE), NONE);
}

function sanitized(input: string, known: KnownValues, shortened: (text: string) => string): string {
  const masked = known.mask(bounded(input, known));
  let text = masked.replace(INVISIBLE, '');
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The search for known values takes most of the time. It would find no more in a text that has not changed since
    // the first search.
    const next = shortened(maskOnce(text, text === masked ? NONE : known));
    if (next === text) break;
    text = next;
  }
  return text;
}

const NONE = new KnownValues([]);
/** The computed forms of known values, which all texts of one answer share. */
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

/**
 * Cuts the text at the limit, and removes the word at the cut, because a part of a credential would not be recognized.
 */
function bounded(input: string, known: KnownValues): string {
  // The text may already have been cut inside a value before this call.
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
