import { endOfBrackets, endOfRun, isSpace, lengthAt, quotedAt, type RunContext, Runs, startOfQuoted } from './lexer.js';
import { MASK } from './mask.js';
import { kindOfName, type NameKind } from './sensitive-names.js';

const SEPARATOR = /[=:]|%3[aAdD]/g;
const NAME_CHARACTER = /[\w.$%-]/;
const MAX_NAME = 64;
const QUALIFIED_KEY = /(?:api|access|secret|private|auth|signing|encryption|subscription|account|master)[ _-]$/i;
const HARMLESS = /^(?:null|none|nil|undefined|true|false)$/i;
const GAP = /(?:\s|%20){0,16}/y;
const HEADER_GAP = /[ \t]{1,4}/y;
const PARAMETRIC_SCHEME = /(?:digest|oauth|hawk|signature|mac)[ \t][^\r\n]*/iy;
const SCHEME_PARAMETERS = /(?:[,;][ \t]{0,4}[A-Za-z][\w-]{0,40}=[^\s,"']+){1,20}/y;
const YAML_BLOCK = /[|>][+-]?[ \t]{0,8}\r?\n[ \t]+[^\n]*(?:\n[ \t]+[^\n]*)*/y;
/**
 * The end of a value that may itself be a sensitive name. The separator after the name may have been read as part of
 * the value.
 */
const NAME_AT_END = /([\w.$%-]{1,64})((?:[ \t]{0,4}[=:][>=]{0,2}[ \t]{0,4})?)$/;
const SEPARATOR_BEHIND = /["'`\\\]]{0,4}(?:[ \t]|%20){0,4}(?:[=:]|%3[aAdD])[>=]{0,2}/y;
const MOST_NAMES = 4;
const SCHEME = /^[A-Za-z][\w-]{1,31}:?$/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Masks the value after a sensitive name and `=` or `:` in every notation: headers, variables, form and query
 * parameters, JSON (also escaped inside JSON), YAML, HTML attributes, and percent-encoding. The text is read once, from
 * separator to separator, and every search around a separator is bounded.
 */
export function maskAssignments(text: string): string {
  let masked = '';
  let done = 0;
  const separators = new RegExp(SEPARATOR);
  const runs = new Runs(text);
  for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
    const name = nameBefore(text, match.index, done);
    const kind = name === null ? null : kindOfName(name.name, name.inQuery);
    if (name === null || kind === null) continue;
    const context = { inQuery: name.inQuery, isEncoded: match[0].length > 1 };
    const value = valueAt(text, match.index + match[0].length, kind, context, runs);
    if (value === null) continue;
    const given = text.slice(value.start - 1, value.end);
    if ((kind === 'ambiguous' || kind === 'plural') && match[0] === ':' && isPlainWord(given)) continue;
    if (kind === 'plural' && isCount(given)) continue;
    masked += text.slice(done, value.start) + MASK;
    done = value.end;
    separators.lastIndex = done;
  }
  return masked + text.slice(done);
}

/** Returns the name before the separator. Closing quotes, brackets and spaces between the two are skipped. */
function nameBefore(text: string, separator: number, floor: number): { name: string; inQuery: boolean } | null {
  let end = separator;
  for (let steps = 0; steps < 12 && end > floor; steps++) {
    const entity = /(?:%2[27]|&quot;|&#3[49];)$/.exec(text.slice(Math.max(floor, end - 6), end));
    if (entity !== null) end -= entity[0].length;
    else if (/[ \t"'`\\\]]/.test(text.charAt(end - 1))) end--;
    else break;
  }
  end = beforeIndex(text, floor, end);
  let start = end;
  while (start > floor && end - start < MAX_NAME && NAME_CHARACTER.test(text.charAt(start - 1))) start--;
  if (start === end) return null;
  const before = text.slice(Math.max(0, start - 12), start);
  const { name, isParameter } = lastWords(text.slice(start, end));
  const inQuery = isParameter || /(?:[?&#]|&amp;)$/.test(before);
  return { name: name.toLowerCase() === 'key' && QUALIFIED_KEY.test(before) ? `${before}key` : name, inQuery };
}

/** Returns the end of `token` in `token[]` and `token[0]`. `end` is the position of the closing bracket. */
function beforeIndex(text: string, floor: number, end: number): number {
  const index = /\[\d{0,4}$/.exec(text.slice(Math.max(floor, end - 5), end));
  return index === null ? end : end - index[0].length;
}

/**
 * Returns the last word of a percent-encoded name. For `a%22b` it is `b`, because an encoded quote precedes it. For
 * `%3Fb` it is the parameter `b` of an encoded URL.
 */
function lastWords(name: string): { name: string; isParameter: boolean } {
  let plain = name;
  for (let depth = 0; depth < 3 && plain.includes('%'); depth++) {
    plain = plain.replace(/%([2-7][\dA-F])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  const [, mark = '', word = name] = /([?&#]?)([\w.$-]*)(?:\[\d{0,4}\]|\])*$/.exec(plain) ?? [];
  return { name: word, isParameter: mark !== '' };
}

/**
 * Returns whether the value is one unquoted lower-case word, which is probably prose. `value` includes the character
 * before the word. A quoted word is data and not prose.
 */
function isPlainWord(value: string): boolean {
  return /^[^"'`]\p{L}?\p{Ll}*[.!?]?$/u.test(value);
}

function isCount(value: string): boolean {
  return /^[^"'`]\d{1,9}[.!?]?$/.test(value);
}

function valueAt(text: string, at: number, kind: NameKind, context: RunContext, runs: Runs): Span | null {
  const value = ownValueAt(text, at, kind, context, runs);
  return value === null ? null : { start: value.start, end: endBehindNames(text, value, context) };
}

/**
 * Returns the end of a value that is itself a sensitive name with a separator after it, as in `login: password = "…"`.
 * The end includes the value of that inner name.
 */
function endBehindNames(text: string, { start, end }: Span, context: RunContext): number {
  let last = end;
  for (let names = 0; names < MOST_NAMES; names++) {
    const [, name = '', separator = ''] =
      NAME_AT_END.exec(text.slice(Math.max(start, last - 2 * MAX_NAME), last)) ?? [];
    if (name === '' || kindOfName(name, context.inQuery) === null) break;
    const behind = separator === '' ? lengthAt(SEPARATOR_BEHIND, text, last) : 0;
    if (separator === '' && behind === 0) break;
    const next = last + behind + lengthAt(GAP, text, last + behind);
    if (next >= text.length) break;
    last = quotedAt(text, next)?.after ?? endOfRun(text, next, context);
  }
  return last;
}

function ownValueAt(text: string, at: number, kind: NameKind, context: RunContext, runs: Runs): Span | null {
  let start = at;
  while (/[>=]/.test(text.charAt(start)) && start - at < 2) start++;
  start += lengthAt(GAP, text, start);
  const first = text.charAt(start);
  if (first === '') return null;
  const isMasked = text.startsWith(MASK, start);
  if (!isMasked && (first === '{' || first === '[')) return { start, end: endOfBrackets(text, start) };
  if (kind === 'container') {
    const inside = startOfQuoted(text, start);
    if (inside === null || text.startsWith(MASK, inside)) return null;
    return /^\s*[{[]/.test(text.slice(inside, inside + 8)) ? quotedAt(text, start) : null;
  }
  const quoted = quotedAt(text, start);
  if (quoted !== null) return quoted.end > quoted.start ? quoted : null;
  if (kind === 'cookie') return { start, end: endOfCookies(text, start, isMasked) };
  if (kind === 'authorization') return { start, end: endOfCredentials(text, start, context, isMasked) };
  // The value may begin a nested mapping. In that case, the names inside the mapping decide what is masked.
  if (kind === 'plural' && text.charAt(runs.endOf(start, context) - 1) === ':') return null;
  const end = endOfNested(text, start, context);
  return end > start && !HARMLESS.test(text.slice(start, end)) ? { start, end } : null;
}

/**
 * Returns the end of a value. A YAML block is one value. A value that is itself `name:` begins a nested mapping, and
 * the end includes the value of that name.
 */
function endOfNested(text: string, start: number, context: RunContext): number {
  const block = lengthAt(YAML_BLOCK, text, start);
  if (block > 0) return start + block;
  let end = endOfRun(text, start, context);
  for (let depth = 0; depth < 4 && end > start && text.charAt(end - 1) === ':'; depth++) {
    const next = end + lengthAt(GAP, text, end);
    const quoted = quotedAt(text, next);
    if (next >= text.length) break;
    end = quoted === null ? endOfRun(text, next, context) : quoted.after;
  }
  return end;
}

/** Returns the end of the cookies, which is usually the end of the line. */
function endOfCookies(text: string, start: number, isMasked: boolean): number {
  if (isMasked && text.charAt(start + MASK.length) !== ';')
    return endOfRun(text, start, { inQuery: false, isEncoded: false });
  for (let i = start; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '\r' || character === '\n') return i;
    if (/["'`]/.test(character) && (i + 1 === text.length || isSpace(text[i + 1]) || /[,}\]]/.test(text.charAt(i + 1))))
      return i;
  }
  return text.length;
}

/**
 * Returns the end of a scheme with credentials and parameters: `Basic …`, `AWS4-HMAC-SHA256 Credential=…, Signature=…`,
 * or a bare value.
 */
function endOfCredentials(text: string, start: number, context: RunContext, isMasked: boolean): number {
  const parametric = lengthAt(PARAMETRIC_SCHEME, text, start);
  if (parametric > 0) return start + parametric;
  let end = endOfRun(text, start, context);
  const gap = lengthAt(HEADER_GAP, text, end);
  if (!isMasked && gap > 0 && SCHEME.test(text.slice(start, end))) {
    end = quotedAt(text, end + gap)?.after ?? endOfRun(text, end + gap, context);
  }
  return end + lengthAt(SCHEME_PARAMETERS, text, end);
}
