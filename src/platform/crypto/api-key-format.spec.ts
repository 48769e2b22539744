import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateKey, parseKey } from './api-key-format.js';
import { sha256 } from './random.js';
import { propertyRuns } from '../../../test/support/property-runs.js';

describe('generateKey', () => {
  it('makes a key of the published shape with its prefix and hash', () => {
    for (const marker of ['oes', 'oesb'] as const) {
      const { key, prefix, hash } = generateKey(marker);
      expect(key).toMatch(new RegExp(`^${marker}_${prefix}_[0-9A-Za-z]{38}$`));
      expect(prefix).toHaveLength(8);
      expect(hash).toEqual(sha256(key));
    }
  });

  it('never repeats itself', () => {
    const keys = Array.from({ length: 1_000 }, () => generateKey('oes').key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('parseKey', () => {
  it('reads marker and prefix of every key made', () => {
    for (let i = 0; i < 500; i++) {
      const marker = i % 2 === 0 ? 'oes' : 'oesb';
      const { key, prefix } = generateKey(marker);
      expect(parseKey(key)).toEqual({ marker, prefix });
    }
  });

  it('refuses a key with any one character changed', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(...'0123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ_-'),
        (at, character) => {
          const { key } = generateKey('oes');
          const index = at % key.length;
          fc.pre(key[index] !== character);
          expect(parseKey(key.slice(0, index) + character + key.slice(index + 1))).toBeNull();
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('refuses a browser key passed off as an ordinary one and the other way round', () => {
    expect(parseKey(generateKey('oesb').key.replace('oesb_', 'oes_'))).toBeNull();
    expect(parseKey(generateKey('oes').key.replace('oes_', 'oesb_'))).toBeNull();
  });

  it('refuses other texts, spaces and line ends around a key', () => {
    const { key } = generateKey('oes');
    for (const text of [
      '',
      'oes_',
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      `Bearer ${key}`,
    ]) {
      expect(parseKey(text)).toBeNull();
    }
  });
});
