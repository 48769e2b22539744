/**
 * Matches a visible character. It does not match controls, formats, unassigned and private characters, white space,
 * combining marks, characters that Unicode tells renderers to ignore (including Hangul fillers), and blank characters
 * in the classes of symbols or letters (braille, the object replacement, a notehead without a note, the blanks of
 * hieroglyphs).
 */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}]/u;

export const INVISIBLE_NAME = 'name must have a visible character';

/**
 * Matches controls, line ends and characters that change the direction of text. They are refused in names, because a
 * name must not change how the surrounding text looks.
 */
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export const STEERING_NAME = 'name must not have control, line-end or bidirectional formatting characters';

/** Whether the text contains control, line-end or bidirectional formatting characters. */
export function isSteering(text: string): boolean {
  return STEERING.test(text);
}

/** Whether the text contains a visible character. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}
