import { MOST_COMMON_PASSWORDS } from './common-password-list.js';

const LISTED: ReadonlySet<string> = new Set(MOST_COMMON_PASSWORDS.split(/\s+/).filter(Boolean));

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
    LISTED.has(lower) ||
    /^(.{1,4}?)\1+$/u.test(lower) ||
    WALKS.some((walk) => lower.length >= 4 && walk.includes(lower))
  );
}
