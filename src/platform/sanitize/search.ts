/** The length of the prefix that is searched for first. Most texts do not contain the prefix of a long pattern. */
const PROBE_LENGTH = 16;

/** Yields every position of `pattern`, including overlapping ones. Linear time for any input. */
export function* occurrences(text: string, pattern: string): Generator<number> {
  const probe = pattern.slice(0, PROBE_LENGTH);
  const first = text.indexOf(probe);
  if (first === -1) return;
  if (pattern.length <= PROBE_LENGTH) {
    for (let at = first; at !== -1; at = text.indexOf(pattern, at + 1)) yield at;
    return;
  }
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let at = first; at < text.length; at += 1) {
    matched = advance(pattern, borders, matched, text.charCodeAt(at));
    if (matched === pattern.length) yield at - matched + 1;
  }
}

/** Returns the length of the longest proper prefix of `pattern` with which `text` ends. */
export function cutAtEnd(text: string, pattern: string): number {
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let at = Math.max(0, text.length - pattern.length + 1); at < text.length; at += 1) {
    matched = advance(pattern, borders, matched, text.charCodeAt(at));
  }
  return matched;
}

/**
 * Returns the table of the Knuth-Morris-Pratt algorithm: for each length of a prefix, the length of its longest proper
 * prefix that is also its suffix.
 */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length + 1);
  for (let at = 1, length = 0; at < pattern.length; at += 1) {
    while (length > 0 && pattern.charCodeAt(at) !== pattern.charCodeAt(length)) length = borders[length] ?? 0;
    if (pattern.charCodeAt(at) === pattern.charCodeAt(length)) length += 1;
    borders[at + 1] = length;
  }
  return borders;
}

function advance(pattern: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched === pattern.length ? (borders[matched] ?? 0) : matched;
  while (length > 0 && pattern.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return pattern.charCodeAt(length) === code ? length + 1 : 0;
}
