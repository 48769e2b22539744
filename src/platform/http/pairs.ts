import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import { brokenRule } from './validation/index.js';

/** The maximum number of pairs in a query or a form. No route has a hundred parameters. */
const MOST_PAIRS = 1_000;

/**
 * Returns the names and values of a query or a form-encoded body. A repeated name has all its values. Too many pairs
 * are refused before parsing: if the parser dropped the excess, a different request would be answered.
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
 * Decodes percent-encoded text. Text that is not valid UTF-8 gets an unpaired surrogate at its end, which every text
 * field refuses. With U+FFFD alone in place of the invalid bytes, different names could become equal.
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
