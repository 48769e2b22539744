/**
 * Characters that nothing shows of by themselves: controls, formats, unassigned and private ones, white space, combining
 * marks, what Unicode tells renderers to ignore (Hangul fillers among it), and blanks that pass for symbols or letters
 * (braille, the object replacement, a notehead without a note, the blanks of hieroglyphs).
 */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}]/u;

export const INVISIBLE_NAME = 'name must have a visible character';

/** Controls, line ends, and what turns the direction of the text around it: a name must not change how others look. */
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export const STEERING_NAME = 'name must not have control, line-end or bidirectional formatting characters';

/** Whether the text has characters that move or turn text instead of being text. */
export function isSteering(text: string): boolean {
  return STEERING.test(text);
}

/** Whether people can see anything of the text. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}
