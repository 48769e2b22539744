import { type Kind, text } from '../../../../platform/http/fields/index.js';

export const MOST_KEY_BYTES = 1_024;

export const KEY_RULE = 'key must be a path of names without leading slash, empty, . or .. parts';

/** Whether a text may name an object: names joined by `/`, of which none is empty or points elsewhere (DECISIONS 13). */
export function isObjectKey(key: string): boolean {
  if (key === '' || key.length > MOST_KEY_BYTES || Buffer.byteLength(key) > MOST_KEY_BYTES) return false;
  if (key.includes('\\') || [...key].some(isControl)) return false;
  return key.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f';
}

/** What an object is called, compared byte by byte: neither folded nor composed. */
export function objectKey(): Kind<string> {
  const kind = text({ check: (key) => (isObjectKey(key) ? undefined : KEY_RULE) });
  return { ...kind, document: { type: 'string', minLength: 1, maxLength: MOST_KEY_BYTES } };
}

/** What a key is called to whoever saves it: the last of its names. */
export function fileNameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/**
 * The least text above every one that begins so, in the order of bytes, which is that of code points; null when there is
 * none, since the beginning is empty or of the last code point alone.
 */
export function endOfPrefix(prefix: string): string | null {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code >= 0x10ffff) continue;
    // Surrogates are no code points of their own.
    return `${points.join('')}${String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)}`;
  }
  return null;
}
