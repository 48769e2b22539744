/**
 * Levels of containers that a JSON text may have (RFC 8259, section 9, leaves the limit to its reader). Nothing that a
 * field takes comes near it; without a limit a megabyte of brackets is half a million objects, whose parsing cannot be
 * interrupted.
 */
export const MAX_JSON_LEVELS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The byte that opens one level more than a text may have; null when none does. Looks at brackets and strings alone, so
 * a text that is no JSON is told apart by its parser.
 */
export function tooDeepAt(json: Buffer): number | null {
  // Each level has two brackets, and a text that lacks its closing ones is refused soon enough.
  if (json.length <= 2 * MAX_JSON_LEVELS) return null;
  let level = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    // [ and { differ in one bit alone, as do ] and }.
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
