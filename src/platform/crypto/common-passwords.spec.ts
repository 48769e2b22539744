import { describe, expect, it } from '@jest/globals';
import { dictionary } from '@zxcvbn-ts/language-common';
import { FURTHER_COMMON_PASSWORDS } from './common-password-list.js';
import { isCommonPassword } from './common-passwords.js';

describe('isCommonPassword', () => {
  it('knows the classics in any case', () => {
    for (const password of [
      'password',
      'Password',
      'PASSWORD1',
      '12345678',
      '123456789',
      'iloveyou',
      'Qwerty123',
      'qwertyuiop',
      'letmein1',
      'P@ssw0rd',
    ]) {
      expect(isCommonPassword(password)).toBe(true);
    }
  });

  it('knows repetitions and keyboard rows that no list can enumerate', () => {
    for (const password of [
      'aaaaaaaa',
      '0000000000',
      'abababab',
      'abcabcabcabc',
      'lolalola',
      'poiuytrewq',
      'cdefghijklm',
      '76543210',
    ]) {
      expect(isCommonPassword(password)).toBe(true);
    }
  });

  it('lets other passwords through', () => {
    for (const password of [
      'violet-anchor-29',
      'tr0mbone&gravel',
      'correct horse battery staple',
      'x7!kQ2m@',
      'Überraschung#4',
      'passwordless-lantern',
    ]) {
      expect(isCommonPassword(password)).toBe(false);
    }
  });

  it('knows each of the 17,950 published ones that may be chosen, in any case', () => {
    const published = dictionary['passwords-common'].filter((password) => password.length >= 8);
    expect(published.length).toBeGreaterThan(17_000);
    expect(published.filter((password) => !isCommonPassword(password.toUpperCase()))).toEqual([]);
  });

  it('keeps a list of its own in lower case, of what those lack', () => {
    const entries = FURTHER_COMMON_PASSWORDS.trim().split(/\s+/);
    const published = new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));
    expect(entries.length).toBeGreaterThan(400);
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index || published.has(entry))).toEqual([]);
    expect(entries.filter((entry) => entry !== entry.toLowerCase() || entry.length < 8)).toEqual([]);
  });
});
