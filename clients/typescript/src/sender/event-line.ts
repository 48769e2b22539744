/**
 * Matches NUL and unpaired surrogates as JSON writes them, and the start of every other escape, so that a backslash of
 * the text is not taken for the start of one.
 */
const ESCAPES = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;
const LONGEST_ESCAPE = '\\u0000'.length;

/**
 * Returns an event as one line of JSON. Members without a value are left out, because the service refuses null. The
 * database stores neither NUL nor unpaired surrogates, so U+FFFD replaces them.
 *
 * @throws when JSON cannot write a value
 */
export function lineOf(event: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(event).filter(([, value]) => !isAbsent(value));
  const text = JSON.stringify(Object.fromEntries(given));
  return text.replace(ESCAPES, (escape) => (escape.length === LONGEST_ESCAPE ? '\ufffd' : escape));
}

/** Whether JSON writes the value as null, or not at all. */
function isAbsent(value: unknown): boolean {
  if (value instanceof Date || typeof value === 'number') return !Number.isFinite(value.valueOf());
  return value === null || value === undefined;
}
