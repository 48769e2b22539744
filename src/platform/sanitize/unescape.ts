import { entityAt } from './entities.js';

/** The meaning of an escape: a byte of UTF-8, a character, or null for an escape without a meaning. */
export type Meaning = { readonly byte: number } | { readonly codePoint: number } | null;

export interface Escape {
  readonly length: number;
  readonly meaning: Meaning;
}

const HEX = '[\\da-fA-F]';
const COMMON = [
  `%u[dD][89abAB]${HEX}{2}%u[dD][c-fC-F]${HEX}{2}`,
  `%u${HEX}{4}`,
  `%${HEX}{2}`,
  `&#[xX]${HEX}{1,32};?`,
  '&#\\d{1,32};?',
  '&[A-Za-z]{2,20}\\d{0,2};?',
  `\\\\u[dD][89abAB]${HEX}{2}\\\\u[dD][c-fC-F]${HEX}{2}`,
  `\\\\[ux]\\{${HEX}{1,8}\\}`,
  `\\\\u${HEX}{4}`,
  `\\\\U${HEX}{8}`,
  `\\\\x${HEX}{2}`,
  '\\\\[0-3][0-7]{2}',
  '\\\\[0-7]{1,2}',
  '\\\\\\r?\\n',
  '\\\\[^]',
  '\\\\$',
  '<w?br[ \\t]{0,4}/?>',
];
/** Escapes of quoted-printable. They are a separate notation, because `=` also often precedes a value. */
const QUOTED_PRINTABLE = [`=${HEX}{2}`, '=[ \\t]{0,8}\\r?\\n'];

/** Patterns that find every escape of each notation. */
export const ESCAPES = { common: COMMON.join('|'), quotedPrintable: [...COMMON, ...QUOTED_PRINTABLE].join('|') };

const LETTERS: Readonly<Record<string, number>> = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9, v: 11 };
const LAST_CODE_POINT = 0x10ffff;

/**
 * Returns the meaning of a text that {@link ESCAPES} matched, or null when it is not an escape. The escape may be
 * shorter than the match.
 */
export function readEscape(found: string): Escape | null {
  switch (found.charAt(0)) {
    case '%':
      return found.charAt(1) === 'u' ? units(found) : byte(found, found.slice(1));
    case '=':
      return /\n$/.test(found) ? { length: found.length, meaning: null } : byte(found, found.slice(1));
    case '<':
      return character(found, 10);
    case '&':
      return found.charAt(1) === '#' ? numeric(found) : named(found);
    default:
      return backslash(found);
  }
}

function backslash(found: string): Escape {
  const kind = found.charAt(1);
  if (/^\\\r?\n$/.test(found) || found.length === 1) return { length: found.length, meaning: null };
  if (kind === 'x' && found.length === 4) return byte(found, found.slice(2));
  if (/^\\[0-7]/.test(found)) return { length: found.length, meaning: { byte: Number.parseInt(found.slice(1), 8) } };
  if (found.length > 2) return units(found);
  return character(found, LETTERS[kind] ?? kind.charCodeAt(0));
}

/** Reads `\u0026`, `\u{26}`, `\U00000026` and `%u0026`, or two of them that are a surrogate pair. */
function units(found: string): Escape {
  const [first = 0, second] = [...found.matchAll(/[ux]\{?([\da-f]+)/gi)].map(([, digits = '']) =>
    Number.parseInt(digits, 16),
  );
  const codePoint = second === undefined ? first : 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00);
  return codePoint > LAST_CODE_POINT ? { length: found.length, meaning: null } : character(found, codePoint);
}

/**
 * Reads a numeric entity. Without a semicolon, it is unknown where the number ends. Codes of visible ASCII characters
 * are tried first, because none of them is a prefix of another.
 */
function numeric(found: string): Escape | null {
  const isHex = /^&#x/i.test(found);
  const digits = found.slice(isHex ? 3 : 2).replace(';', '');
  const base = isHex ? 16 : 10;
  const whole = Number.parseInt(digits, base);
  if (found.endsWith(';') && whole <= LAST_CODE_POINT) return character(found, whole);
  const zeros = /^0*/.exec(digits)?.[0].length ?? 0;
  for (const length of [2, 3]) {
    const codePoint = Number.parseInt(digits.slice(zeros, zeros + length), base);
    const isVisible = codePoint >= 0x20 && codePoint <= 0x7e;
    if (isVisible)
      return { length: found.length - trailing(found) - digits.length + zeros + length, meaning: { codePoint } };
  }
  return whole <= LAST_CODE_POINT ? character(found, whole) : null;
}

const trailing = (found: string): number => (found.endsWith(';') ? 1 : 0);

function named(found: string): Escape | null {
  const entity = entityAt(found.slice(1).replace(';', ''));
  if (entity === null) return null;
  const length = 1 + entity.length;
  return { length: found.charAt(length) === ';' ? length + 1 : length, meaning: { codePoint: entity.codePoint } };
}

function byte(found: string, hex: string): Escape {
  return { length: found.length, meaning: { byte: Number.parseInt(hex, 16) } };
}

function character(found: string, codePoint: number): Escape {
  return { length: found.length, meaning: { codePoint } };
}
