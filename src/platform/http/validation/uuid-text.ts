const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SIMPLE = /^[0-9a-f]{32}$/;
const URN = 'urn:uuid:';
const GROUPS = [8, 4, 4, 4, 12];

/** Returns the UUID in lower case with hyphens, or null. Also accepts 32 digits, braces and the URN form. */
export function parseUuid(text: string): string | null {
  if (text.length === 36) {
    const lower = text.toLowerCase();
    return CANONICAL.test(lower) ? lower : null;
  }
  if (text.length === 32) {
    const d = text.toLowerCase();
    if (!SIMPLE.test(d)) return null;
    return `${d.slice(0, 8)}-${d.slice(8, 12)}-${d.slice(12, 16)}-${d.slice(16, 20)}-${d.slice(20)}`;
  }
  if (text.length === 38 && text.startsWith('{') && text.endsWith('}')) return parseHyphened(text.slice(1, -1));
  if (text.length === 45 && text.startsWith(URN)) return parseHyphened(text.slice(URN.length));
  return null;
}

function parseHyphened(text: string): string | null {
  return text.length === 36 ? parseUuid(text) : null;
}

/** Returns why `parseUuid` refused the text. */
export function uuidFault(text: string): string {
  let bare = text;
  if (text.startsWith('{') && text.endsWith('}')) bare = text.slice(1, -1);
  else if (text.startsWith(URN)) bare = text.slice(URN.length);
  const offset = text.indexOf(bare);
  const bad = bare.search(/[^0-9a-f-]/i);
  if (bad >= 0) {
    const found = String.fromCodePoint(bare.codePointAt(bad) ?? 0);
    return `invalid character: found \`${found}\` at ${offset + bad + 1}`;
  }
  const groups = bare.split('-', 8);
  if (groups.length === 1 && bare === text) {
    return `invalid length: expected length 32 for simple format, found ${bare.length}`;
  }
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;
  const wrong = GROUPS.findIndex((length, index) => groups[index]?.length !== length);
  return `invalid group length in group ${wrong}: expected ${GROUPS[wrong]}, found ${groups[wrong]?.length}`;
}
