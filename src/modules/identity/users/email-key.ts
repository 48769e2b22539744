/** What NFC turns into ASCII although it is none: the Greek question mark, the varia and the Kelvin sign. */
const LIKE_ASCII = /([\u037e\u1fef\u212a])/;

/**
 * What addresses are compared by (DECISIONS 2): NFC with ASCII letters folded. Nothing but ASCII compares as ASCII, and
 * other letters keep their case, since mail systems fold them differently or not at all.
 *
 * Composed again after folding: some marks go with a small letter alone, such as the caron with `j`.
 */
export function emailKeyOf(email: string): string {
  return email
    .split(LIKE_ASCII)
    .map((part) => (LIKE_ASCII.test(part) ? part : folded(part)))
    .join('');
}

function folded(part: string): string {
  return part
    .normalize('NFC')
    .replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase())
    .normalize('NFC');
}
