import { MASK } from './mask.js';

const QUOTE = /\\*["'`]|%22|%27|&quot;|&#3[49];/y;
const STRING_PREFIX = /[bBuUrRfF](?=["'])/y;
const NEXT_FIELD = /[,;]\s{0,8}(?:[\\"'`]{0,4})[\w.-]{1,64}(?:[\\"'`]{0,4})\s{0,4}[:=]|[,;]\s{0,8}[\\"'{]/y;
const NEXT_PARAMETER = /&(?:amp;)?[\w.%[\]-]{1,64}=|&(?:quot|#3[49]);|&$/y;
const ENCODED_END = /%(?:26|22|27|2[cC]|7[dD]|20|3[bB]|0[aAdD])/y;
const TAG = /<[/A-Za-z!]/y;
const MAX_CLOSERS = 16;
const CLOSERS = new Set([...'"\'`)]}>,;']);

/** Length of what `pattern` (sticky) matches at `at`; 0 for no match. */
export function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

export function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

/**
 * The inside of a quoted text that opens at `at`, with plain, backslash-escaped, percent-encoded or
 * HTML quotes; null when none opens there. One that never closes reaches to the end of the text.
 */
export function quotedAt(text: string, at: number): { start: number; end: number; after: number } | null {
  const open = at + lengthAt(STRING_PREFIX, text, at);
  const length = lengthAt(QUOTE, text, open);
  if (length === 0) return null;
  const quote = text.slice(open, open + length);
  const start = open + length;
  const mark = quote.replace(/^\\*/, '');
  const levels = Math.log2(quote.length - mark.length + 1);
  for (let close = text.indexOf(mark, start); close !== -1; close = text.indexOf(mark, close + 1)) {
    const backslashes = backslashesBefore(text, close, start);
    if (closesAtLevel(backslashes, levels))
      return { start, end: close - (quote.length - mark.length), after: close + mark.length };
  }
  return { start, end: text.length, after: text.length };
}

function backslashesBefore(text: string, at: number, start: number): number {
  let count = 0;
  while (at - count > start && text.charAt(at - count - 1) === '\\') count++;
  return count;
}

/** JSON inside JSON escapes a quote `levels` times over: each level must leave it escaped, the innermost must not. */
function closesAtLevel(backslashes: number, levels: number): boolean {
  let left = backslashes;
  for (let level = 0; level < levels; level++) {
    if (left % 2 === 0) return false;
    left = (left - 1) / 2;
  }
  return left % 2 === 0;
}

/** Index behind the `{…}` or `[…]` that opens at `at`, brackets in quoted texts not counted; the end of the text if it never closes. */
export function endOfBrackets(text: string, at: number): number {
  let depth = 0;
  let quote = '';
  for (let i = at; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '\\') i++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"') quote = character;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return i + 1;
  }
  return text.length;
}

export interface RunContext {
  readonly inQuery: boolean;
  /** The separator before the value was percent-encoded, so its end is too. */
  readonly isEncoded: boolean;
}

/**
 * Index behind an unquoted value: it goes on over punctuation that passwords use, and ends at white
 * space, at the next field or parameter, or at brackets and quotes that close something around it.
 */
export function endOfRun(text: string, at: number, context: RunContext): number {
  let i = at;
  while (i < text.length) {
    if (text.startsWith(MASK, i)) {
      i += MASK.length;
      continue;
    }
    if (endsRun(text, i, context)) return i;
    i++;
  }
  return i;
}

function endsRun(text: string, i: number, { inQuery, isEncoded }: RunContext): boolean {
  const character = text.charAt(i);
  if (/[\s\p{Cc}]/u.test(character)) return true;
  switch (character) {
    case '#':
      return inQuery;
    case '&':
      return lengthAt(NEXT_PARAMETER, text, i) > 0;
    case '%':
      return isEncoded && lengthAt(ENCODED_END, text, i) > 0;
    case '<':
      return lengthAt(TAG, text, i) > 0;
    case '\\':
      return /["'`nrt]/.test(text.charAt(i + 1)) && (text.charAt(i + 1) !== "'" || closes(text, i + 2));
    case ',':
    case ';':
      return closes(text, i + 1) || lengthAt(NEXT_FIELD, text, i) > 0;
    default:
      return CLOSERS.has(character) && closes(text, i + 1);
  }
}

/** Whether nothing of a value can follow from `at` on: closing marks alone, then white space, the end or another field. */
function closes(text: string, at: number): boolean {
  for (let i = at; i < at + MAX_CLOSERS; i++) {
    const character = text.charAt(i);
    if (character === '' || character === '\\' || isSpace(character)) return true;
    if ((character === ',' || character === ';') && lengthAt(NEXT_FIELD, text, i) > 0) return true;
    if (!CLOSERS.has(character)) return false;
  }
  return false;
}
