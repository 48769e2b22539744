import { createRequire } from 'node:module';
import type LanguageCommon from '@zxcvbn-ts/language-common';
import { FURTHER_COMMON_PASSWORDS } from './common-password-list.js';

const SHORTEST = 8;

let listed: ReadonlySet<string> | undefined;

/**
 * Digits and letters in the order of keyboards and of the alphabet. Every part of these rows is easy to guess, forwards
 * and backwards.
 */
const ROWS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
];
const WALKS = [...ROWS, ...ROWS.map((row) => [...row].reverse().join(''))];

/**
 * Returns whether attackers try a password among their first guesses: a listed password, a repeated unit of up to four
 * characters, or a part of one row. Case does not matter. The minimum length of 8 is checked elsewhere.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  return (
    (listed ??= readLists()).has(lower) ||
    /^(.{1,4}?)\1+$/u.test(lower) ||
    WALKS.some((walk) => lower.length >= 4 && walk.includes(lower))
  );
}

// The lists are loaded when the first password is chosen, because loading takes 30 ms and most processes never need
// them.
function readLists(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as typeof LanguageCommon;
  const published = dictionary['passwords-common'].filter((password) => password.length >= SHORTEST);
  return new Set([
    ...published.map((password) => password.toLowerCase()),
    ...FURTHER_COMMON_PASSWORDS.trim().split(/\s+/),
  ]);
}
