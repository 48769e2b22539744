import { describe, expect, it } from '@jest/globals';
import { base62OfInteger, constantTimeEqual, randomBase62, randomToken, sha256, sha256Hex } from './random.js';

describe('randomToken', () => {
  it('carries 32 bytes as base64url unless told otherwise', () => {
    expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(randomToken(20), 'base64url')).toHaveLength(20);
    expect(randomToken()).not.toBe(randomToken());
  });
});

describe('sha256', () => {
  it('hashes the UTF-8 bytes of a text', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('Größe')).toEqual(sha256(Buffer.from('Größe', 'utf8')));
  });
});

describe('constantTimeEqual', () => {
  it('compares texts and buffers by their bytes', () => {
    expect(constantTimeEqual('same', Buffer.from('same'))).toBe(true);
    expect(constantTimeEqual('', '')).toBe(true);
    expect(constantTimeEqual('same', 'sama')).toBe(false);
    expect(constantTimeEqual('short', 'a much longer one')).toBe(false);
  });
});

describe('randomBase62', () => {
  it('uses all 62 digits about equally often', () => {
    const counts = new Map<string, number>();
    for (const digit of randomBase62(62 * 2_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 2,000 expected with a deviation of 45; a modulo bias would put the first digits at 2,420.
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(300);
  });
});

describe('base62OfInteger', () => {
  it('pads to the asked width and refuses what does not fit', () => {
    expect(base62OfInteger(0, 6)).toBe('000000');
    expect(base62OfInteger(61, 2)).toBe('0z');
    expect(base62OfInteger(62, 2)).toBe('10');
    expect(base62OfInteger(2 ** 32 - 1, 6)).toHaveLength(6);
    for (const value of [-1, 0.5, 62 ** 2]) expect(() => base62OfInteger(value, 2)).toThrow(RangeError);
  });
});
