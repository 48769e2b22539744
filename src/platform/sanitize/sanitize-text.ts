import { maskAssignments } from './assignments.js';
import { maskIntroduced, maskIssued } from './credential-shapes.js';
import { KnownValues } from './known-values.js';
import { isSensitiveName } from './sensitive-names.js';
import { maskUrls } from './urls.js';

const MAX_INPUT = 16_384;
const MAX_OUTPUT = 500;
const MAX_LONG_OUTPUT_BYTES = 16_384;
/** Masking and cutting can uncover another pattern. In practice the second round changes nothing. */
const MAX_ROUNDS = 6;

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
// Control and invisible formatting characters except line breaks. They could split a credential and hide it.
const INVISIBLE = /(?![\t\n\v\f\r\u0085])[\p{Cc}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Returns a foreign text (an answer's body, an error message) that is safe to store and show: credentials masked, one
 * line, at most 500 UTF-16 units. Reads only the first 16 KiB. Idempotent. `known` are the destination's own secrets,
 * which are masked in every encoding.
 */
export function sanitizeText(input: string, known: readonly string[] = []): string {
  return sanitized(input, valuesOf(known), (text) => cut(visible(text)));
}

/**
 * Returns a long text, such as the body of a request, that is safe to store and show. Masks as {@link sanitizeText}
 * does, but keeps line breaks and up to 16 KiB of UTF-8.
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
 * Masks as {@link sanitizeText} does, for log lines: without cutting the text, with its line breaks. Reads at most 16
 * KiB.
 */
export function maskSecrets(text: string): string {
  return text.length < 6 ? text : maskOnce(bounded(text, NONE), NONE);
}

function sanitized(input: string, known: KnownValues, shortened: (text: string) => string): string {
  const masked = known.mask(bounded(input, known));
  let text = masked.replace(INVISIBLE, '');
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The search for known values is the largest part of the time, and finds none again in an unchanged text.
    const next = shortened(maskOnce(text, text === masked ? NONE : known));
    if (next === text) break;
    text = next;
  }
  return text;
}

const NONE = new KnownValues([]);
/** The texts of one answer share the same known values, whose forms are computed once. */
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

/** Cuts the text at the limit and drops the word that the limit splits, because half a credential is not recognized. */
function bounded(input: string, known: KnownValues): string {
  // The text may have been cut before, in the middle of a value.
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
