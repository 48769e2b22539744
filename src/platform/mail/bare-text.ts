const LONGEST_NAME = 60;

/** Letters with a few marks, digits, and the signs that names are written with; everything else reads as a blank. */
const FOREIGN = /[^\p{L}\p{M}\p{Nd} .,'’&()+!?_-]+/gu;
/** More marks on a letter than any language has. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Letters that show nothing. */
const INVISIBLE = /[\u115F\u1160\u3164\uFFA0\u17B4\u17B5\u034F\p{Default_Ignorable_Code_Point}]/gu;
/** A full stop that does not end a word would make a domain of it. */
const INNER_STOP = /\.(?=[^ ])/gu;

/**
 * A name that somebody chose, for the text of a mail to somebody else: on one line, short, and with nothing that a mail
 * program makes a link of (addresses of any scheme, domains, mail addresses), whatever it looks like on the way there.
 * Quote it, so that it reads as a name. Empty when nothing is left.
 */
export function bareName(name: string): string {
  const text = name
    // Full-width and other forms of a letter or sign become the plain one before they are judged.
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(FOREIGN, ' ')
    .replace(PILED_MARKS, '$1')
    .replace(INNER_STOP, ' ')
    .replace(/ +/g, ' ')
    .trim();
  // Letters and marks that something invisible kept apart come together.
  return [...text].slice(0, LONGEST_NAME).join('').trim().normalize('NFC');
}

/** Text for a header: one line without controls, in whatever writing, cut to a length between characters. */
export function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
  return [...line].slice(0, longest).join('');
}
