/**
 * The maximum nesting of containers in a JSON text. RFC 8259, section 9, allows parsers such a limit, and no field
 * accepts nearly as many levels. Without the limit, a megabyte of brackets would become half a million objects, and
 * parsing them cannot be interrupted.
 */
export const MAX_JSON_LEVELS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the position of the byte that opens a container beyond the limit, or null. Reads only brackets and strings.
 * The parser refuses invalid JSON later.
 */
export function tooDeepAt(json: Buffer): number | null {
  // A valid text with more levels than the limit is longer, because each level has two brackets. The parser quickly
  // refuses an invalid one.
  if (json.length <= 2 * MAX_JSON_LEVELS) return null;
  let level = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    // [ and { differ in only one bit, as do ] and }.
    else if ((byte | 0x20) === 0x7b) {
      if (++level > MAX_JSON_LEVELS) return at;
    } else if ((byte | 0x20) === 0x7d) level--;
  }
  return null;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
