const LONGEST_NAME = 60;

/**
 * Matches every character that names are not written with: not a letter, mark, digit or common sign. A space replaces
 * it.
 */
const FOREIGN = /[^\p{L}\p{M}\p{Nd} .,'’&()+!?_-]+/gu;
/** Matches more marks on a letter than any language uses. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Matches letters that display nothing. */
const INVISIBLE = /[\u115F\u1160\u3164\uFFA0\u17B4\u17B5\u034F\p{Default_Ignorable_Code_Point}]/gu;
/** Matches a full stop inside a word, which could make the word a domain. */
const INNER_STOP = /\.(?=[^ ])/gu;

/**
 * Prepares a name that a user chose for a mail to another person: one short line without anything that a mail program
 * turns into a link (addresses of any scheme, domains, mail addresses), however it is encoded. The caller should quote
 * the result, so that it reads as a name. Empty when no character is left.
 */
export function bareName(name: string): string {
  const text = name
    // Replaces full-width and other variants by the plain letter or sign before the characters are checked.
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(FOREIGN, ' ')
    .replace(PILED_MARKS, '$1')
    .replace(INNER_STOP, ' ')
    .replace(/ +/g, ' ')
    .trim();
  // Removing invisible characters can put letters and marks side by side, so they are composed here.
  return [...text].slice(0, LONGEST_NAME).join('').trim().normalize('NFC');
}

/** Returns text for a header: one line of any script without controls, cut to a length at a character boundary. */
export function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
  return [...line].slice(0, longest).join('');
}
