import { describe, expect, it } from '@jest/globals';
import { MOST_COMMON_PASSWORDS } from './common-password-list.js';
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

  it('keeps a list of well over a thousand lower-case entries without repeats', () => {
    const entries = MOST_COMMON_PASSWORDS.split(/\s+/).filter(Boolean);
    expect(entries.length).toBeGreaterThan(1_000);
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
    expect(entries.filter((entry) => entry !== entry.toLowerCase())).toEqual([]);
    expect(entries.filter((entry) => entry.length < 8)).toEqual([]);
  });
});
