const LONGEST_NAME = 60;

/**
 * Matches characters that are not used in names: everything except letters, marks, digits and some common signs. They
 * are replaced by a space.
 */
const FOREIGN = /[^\p{L}\p{M}\p{Nd} .,'’&()+!?_-]+/gu;
/** Matches the fourth and further marks on a letter. No language uses so many. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Matches letters that display nothing. */
const INVISIBLE = /[\u115F\u1160\u3164\uFFA0\u17B4\u17B5\u034F\p{Default_Ignorable_Code_Point}]/gu;
/** Matches a full stop inside a word, which could make the word a domain. */
const INNER_STOP = /\.(?=[^ ])/gu;

/**
 * Prepares a name that a user chose for an e-mail to another person. The result is one short line that e-mail programs
 * do not turn into a link (URLs of any scheme, domains, e-mail addresses), however it is encoded. The caller should put
 * the result in quotes, so that it is read as a name. It is empty when no character remains.
 */
export function bareName(name: string): string {
  const text = name
    // NFKC replaces full-width and other variants by the plain character, before the characters are checked.
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(FOREIGN, ' ')
    .replace(PILED_MARKS, '$1')
    .replace(INNER_STOP, ' ')
    .replace(/ +/g, ' ')
    .trim();
  // After invisible characters are removed, a mark may follow a letter directly, so the text is composed again.
  return [...text].slice(0, LONGEST_NAME).join('').trim().normalize('NFC');
}

/**
 * Returns text for a header: one line in any script, without control characters, cut to at most `longest` characters.
 */
export function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
  return [...line].slice(0, longest).join('');
}
