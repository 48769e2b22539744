import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CipherContext, CredentialCipher } from './cipher.js';
import { CryptographyUnavailableError, DecryptionError } from './crypto-errors.js';
import { anyText, propertyRuns } from '../../../test/support/property-runs.js';

const oldKey = { id: 'old-1', key: randomBytes(32) };
const newKey = { id: 'new_2', key: randomBytes(32) };
const cipher = new CredentialCipher({ keys: [newKey, oldKey] });
const place: CipherContext = { table: 'channel_headers', column: 'value', rowId: 'row-1', tenantId: 'tenant-1' };
const text = anyText({ maxLength: 60 }).filter((value) => !/\p{Surrogate}/u.test(value));

describe('CredentialCipher', () => {
  it('gives back every text it encrypted, never twice with the same envelope', () => {
    fc.assert(
      fc.property(text, (plaintext) => {
        const envelope = cipher.encrypt(plaintext, place);
        expect(cipher.decrypt(envelope, place)).toBe(plaintext);
        expect(cipher.encrypt(plaintext, place)).not.toBe(envelope);
      }),
    );
  });

  it('writes key id, 96-bit nonce, 128-bit tag and ciphertext', () => {
    const [head, nonce = '', tag = '', ciphertext = ''] = cipher.encrypt('hello', place).split('.');
    expect(head).toBe('vnew_2');
    expect([nonce, tag, ciphertext].map((part) => Buffer.from(part, 'base64url').length)).toEqual([12, 16, 5]);
  });

  it('refuses an envelope with any one bit flipped', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat({ max: 7 }), (plaintext, at, bit) => {
        const bytes = Buffer.from(cipher.encrypt(plaintext, place));
        const index = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << bit), index);
        expect(() => cipher.decrypt(bytes.toString('latin1'), place)).toThrow(DecryptionError);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('refuses every flipped bit of one envelope, part by part', () => {
    const parts = cipher.encrypt('a secret', place).split('.');
    for (const part of [1, 2, 3]) {
      const bytes = Buffer.from(parts[part] ?? '', 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const envelope = parts.with(part, changed.toString('base64url')).join('.');
        expect(() => cipher.decrypt(envelope, place)).toThrow(DecryptionError);
      }
    }
  });

  it('refuses a shortened tag and other spellings of the same bytes', () => {
    const [head, nonce, tag = '', ciphertext] = cipher.encrypt('x', place).split('.');
    const short = Buffer.from(tag, 'base64url').subarray(0, 12).toString('base64url');
    expect(() => cipher.decrypt(`${head}.${nonce}.${short}.${ciphertext}`, place)).toThrow(DecryptionError);
    expect(() => cipher.decrypt(`${head}.${nonce}.${tag}==.${ciphertext}`, place)).toThrow(DecryptionError);
    for (const envelope of ['', 'v', 'vnew_2...', 'plain text']) {
      expect(() => cipher.decrypt(envelope, place)).toThrow(DecryptionError);
    }
  });

  it('refuses a ciphertext moved to another table, column, row or tenant', () => {
    const envelope = cipher.encrypt('bound to its place', place);
    for (const key of ['table', 'column', 'rowId', 'tenantId'] as const) {
      expect(() => cipher.decrypt(envelope, { ...place, [key]: `${place[key]}x` })).toThrow(DecryptionError);
    }
    const shifted = { ...place, table: 'channel_headersv', column: 'alue' };
    expect(() => cipher.decrypt(envelope, shifted)).toThrow(DecryptionError);
  });

  it('reads values of older keys, names them, and forgets keys that are gone', () => {
    const before = new CredentialCipher({ keys: [oldKey] });
    const envelope = before.encrypt('from before', place);
    expect([before.firstKeyId, before.olderKeyIds]).toEqual(['old-1', []]);
    expect(cipher.decrypt(envelope, place)).toBe('from before');
    expect([cipher.firstKeyId, cipher.olderKeyIds]).toEqual(['new_2', ['old-1']]);
    expect(cipher.encrypt('now', place)).toMatch(/^vnew_2\./);
    expect(() => new CredentialCipher({ keys: [newKey] }).decrypt(envelope, place)).toThrow(DecryptionError);
  });

  it('authenticates the key id, so that two ids over one key are not interchangeable', () => {
    const twin = new CredentialCipher({ keys: [newKey, { id: 'twin', key: newKey.key }] });
    const envelope = twin.encrypt('x', place).replace('vnew_2.', 'vtwin.');
    expect(() => twin.decrypt(envelope, place)).toThrow(DecryptionError);
  });

  it('is unavailable for every operation when disabled', () => {
    const disabled = new CredentialCipher('disabled');
    const envelope = cipher.encrypt('x', place);
    expect(disabled.isAvailable).toBe(false);
    expect(() => disabled.encrypt('x', place)).toThrow(CryptographyUnavailableError);
    expect(() => disabled.decrypt(envelope, place)).toThrow(CryptographyUnavailableError);
    expect(() => disabled.firstKeyId).toThrow(CryptographyUnavailableError);
    expect(disabled.olderKeyIds).toEqual([]);
  });

  it('refuses unusable keys at construction', () => {
    expect(() => new CredentialCipher({ keys: [] })).toThrow(RangeError);
    expect(() => new CredentialCipher({ keys: [oldKey, oldKey] })).toThrow(RangeError);
    expect(() => new CredentialCipher({ keys: [{ id: 'short', key: randomBytes(16) }] })).toThrow(RangeError);
    expect(() => new CredentialCipher({ keys: [{ id: 'a.b', key: randomBytes(32) }] })).toThrow(RangeError);
  });
});
