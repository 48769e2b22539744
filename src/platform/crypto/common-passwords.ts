import { createRequire } from 'node:module';
import type LanguageCommon from '@zxcvbn-ts/language-common';
import { FURTHER_COMMON_PASSWORDS } from './common-password-list.js';

const SHORTEST = 8;

let listed: ReadonlySet<string> | undefined;

/** Digits and letters along the keyboard and the alphabet; any stretch of these rows, forwards or backwards, is a guess. */
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
 * Whether guessing starts with this password: it is listed, a unit of up to four characters repeated
 * throughout, or one stretch of a keyboard row. Case does not matter. Shorter than 8 is not judged here.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  return (
    (listed ??= readLists()).has(lower) ||
    /^(.{1,4}?)\1+$/u.test(lower) ||
    WALKS.some((walk) => lower.length >= 4 && walk.includes(lower))
  );
}

// With the first password that is chosen: most processes never see one, and unpacking the list takes 30 ms of a start.
function readLists(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as typeof LanguageCommon;
  const published = dictionary['passwords-common'].filter((password) => password.length >= SHORTEST);
  return new Set([
    ...published.map((password) => password.toLowerCase()),
    ...FURTHER_COMMON_PASSWORDS.trim().split(/\s+/),
  ]);
}
