import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import { brokenRule } from './fields/index.js';

/** Of a query or a form. Nothing here asks for a hundred. */
const MOST_PAIRS = 1_000;

/**
 * The names and values of a query or a form-encoded body; a name that repeats has all its values. Judged before they are
 * taken apart, since to leave out what comes beyond a number would be to answer another request.
 * @throws ValidationError for more than {@link MOST_PAIRS}
 */
export function parsePairs(text: string, place: 'query' | 'body'): Record<string, string | string[]> {
  if (hasMoreThan(text, MOST_PAIRS - 1)) {
    throw brokenRule([place], `${place} must not have more than ${MOST_PAIRS} parameters`, null);
  }
  const options = text.includes('%') ? { maxKeys: 0, decodeURIComponent: decoded } : { maxKeys: 0 };
  return parse(text, '&', '=', options) as Record<string, string | string[]>;
}

/**
 * Decodes what is percent-encoded. Bytes that are no UTF-8 get a lone surrogate at their end, which no field of text takes:
 * with U+FFFD in their place alone, different names would be the same one.
 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const octets = Buffer.from(text)
      .toString('latin1')
      .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    const bytes = Buffer.from(octets, 'latin1');
    return isUtf8(bytes) ? bytes.toString() : `${bytes.toString()}\udfff`;
  }
}

function hasMoreThan(text: string, separators: number): boolean {
  let count = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    count += 1;
    if (count > separators) return true;
  }
  return false;
}
