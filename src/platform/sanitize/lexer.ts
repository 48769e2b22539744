import { MASK } from './mask.js';

const QUOTE = /\\*["'`]|%22|%27|&quot;|&#3[49];/y;
const STRING_PREFIX = /[bBuUrRfF](?=["'])/y;
const NEXT_FIELD = /[,;]\s{0,8}(?:[\\"'`]{0,4})[\w.-]{1,64}(?:[\\"'`]{0,4})\s{0,4}[:=]|[,;]\s{0,8}[\\"'{]/y;
const NEXT_PARAMETER = /&(?:amp;)?[\w.%[\]-]{1,64}=|&(?:quot|#3[49]);|&$/y;
const ENCODED_END = /%(?:26|22|27|2[cC]|7[dD]|20|3[bB]|0[aAdD])/y;
const TAG = /<[/A-Za-z!]/y;
const MAX_CLOSERS = 16;
const CLOSERS = new Set([...'"\'`)]}>,;']);

/** Returns the length of the match of a sticky pattern at `at`, or 0 when it does not match there. */
export function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

export function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

/**
 * Returns the index after an opening quote at `at`, which may be plain, escaped with backslashes, percent-encoded or an
 * HTML entity. Returns null when there is no quote.
 */
export function startOfQuoted(text: string, at: number): number | null {
  const open = at + lengthAt(STRING_PREFIX, text, at);
  const length = lengthAt(QUOTE, text, open);
  return length === 0 ? null : open + length;
}

/**
 * Returns the positions of a quoted text that starts at `at`, or null when no quote is there. If the closing quote is
 * missing, the quoted text extends to the end of the text.
 */
export function quotedAt(text: string, at: number): { start: number; end: number; after: number } | null {
  const start = startOfQuoted(text, at);
  if (start === null) return null;
  const quote = text.slice(at + lengthAt(STRING_PREFIX, text, at), start);
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

/**
 * Returns whether the quote closes the text. In JSON that was nested `levels` times, every outer level has escaped the
 * quote.
 */
function closesAtLevel(backslashes: number, levels: number): boolean {
  let left = backslashes;
  for (let level = 0; level < levels; level++) {
    if (left % 2 === 0) return false;
    left = (left - 1) / 2;
  }
  return left % 2 === 0;
}

/**
 * Returns the index after the `{…}` or `[…]` that starts at `at`, or the end of the text when it is not closed.
 * Brackets in quoted texts are ignored.
 */
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
  /**
   * Whether the separator before the value was percent-encoded. In that case, the separator after the value is encoded
   * too.
   */
  readonly isEncoded: boolean;
}

/**
 * Finds the ends of unquoted values, from left to right. A later value inside the same run has the same end, so a run
 * with many names is read only once.
 */
export class Runs {
  private readonly latest = new Map<string, { readonly from: number; readonly end: number }>();

  constructor(private readonly text: string) {}

  endOf(at: number, context: RunContext): number {
    const key = `${context.inQuery} ${context.isEncoded}`;
    const known = this.latest.get(key);
    if (known !== undefined && known.from <= at && at < known.end) return known.end;
    const end = endOfRun(this.text, at, context);
    this.latest.set(key, { from: at, end });
    return end;
  }
}

/**
 * Returns the index after an unquoted value. The value may contain the punctuation that passwords contain. It ends at
 * white space, at the next field or parameter, or at brackets and quotes that close an outer structure.
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

/**
 * Returns whether the value ends at `at`: only closing marks follow, and then white space, the end of the text or
 * another field.
 */
function closes(text: string, at: number): boolean {
  for (let i = at; i < at + MAX_CLOSERS; i++) {
    const character = text.charAt(i);
    if (character === '' || character === '\\' || isSpace(character)) return true;
    if ((character === ',' || character === ';') && lengthAt(NEXT_FIELD, text, i) > 0) return true;
    if (!CLOSERS.has(character)) return false;
  }
  return false;
}
