import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSafeText } from '../../../../platform/http/validation/index.js';
import { endOfPrefix, fileNameOf, isObjectKey } from './object-key.js';
import { anyText } from '../../../../../test/support/property-runs.js';

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Generates any code points except surrogates, which stored texts never contain. */
const wellFormed = anyText().filter(isSafeText);

describe('the key of an object', () => {
  it('never leaves the place that it names', () => {
    const part = fc.constantFrom('.', '..', '/', '\\', 'a', '\u0000', '\u001f', '\u007f', ' ', 'é');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
        (key) => {
          if (!isObjectKey(key)) return;
          expect(new URL(`file:///root/${key.split('/').map(encodeURIComponent).join('/')}`).pathname).toMatch(
            /^\/root\/./,
          );
          expect(key).not.toMatch(/^\/|\/\/|\/$|\\/);
        },
      ),
    );
  });

  it('ends its beginnings where nothing that begins so follows', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (prefix, rest) => {
        const end = endOfPrefix(prefix);
        if (end === null) return;
        expect(compare(prefix + rest, end)).toBeLessThan(0);
        expect(compare(prefix, end)).toBeLessThan(0);
      }),
    );
    fc.assert(
      fc.property(wellFormed, wellFormed, (prefix, key) => {
        const end = endOfPrefix(prefix);
        const between = compare(key, prefix) >= 0 && (end === null || compare(key, end) < 0);
        expect(between).toBe(key.startsWith(prefix));
      }),
    );
  });

  it('is saved under the last of its names', () => {
    expect(['a', 'a/b', 'a/b c'].map(fileNameOf)).toEqual(['a', 'b', 'b c']);
  });
});
