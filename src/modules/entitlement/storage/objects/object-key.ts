import { type Kind, text } from '../../../../platform/http/validation/index.js';

export const MOST_KEY_BYTES = 1_024;

export const KEY_RULE = 'key must be a path of names without leading slash, empty, . or .. parts';

/**
 * Returns whether a text is a valid key: names joined by `/`, none of which is empty, `.` or `..`, without `\` and
 * control characters.
 */
export function isObjectKey(key: string): boolean {
  if (key === '' || key.length > MOST_KEY_BYTES || Buffer.byteLength(key) > MOST_KEY_BYTES) return false;
  if (key.includes('\\') || [...key].some(isControl)) return false;
  return key.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f';
}

/** The key of an object. Keys are compared byte by byte, without case folding or Unicode composition. */
export function objectKey(): Kind<string> {
  const kind = text({ check: (key) => (isObjectKey(key) ? undefined : KEY_RULE) });
  return { ...kind, document: { type: 'string', minLength: 1, maxLength: MOST_KEY_BYTES } };
}

/** Returns the file name under which the content is saved: the last name in the key. */
export function fileNameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/**
 * Returns the smallest text above every text with this prefix, in the order of bytes, which is that of code points.
 * Null when there is none, because the prefix is empty or contains only the last code point.
 */
export function endOfPrefix(prefix: string): string | null {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code >= 0x10ffff) continue;
    // Surrogates (U+D800 to U+DFFF) are skipped, because they are not characters.
    return `${points.join('')}${String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)}`;
  }
  return null;
}
