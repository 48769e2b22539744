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
  return parse(text, '&', '=', { maxKeys: 0 }) as Record<string, string | string[]>;
}

function hasMoreThan(text: string, separators: number): boolean {
  let count = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    count += 1;
    if (count > separators) return true;
  }
  return false;
}
