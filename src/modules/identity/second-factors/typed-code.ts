/**
 * Normalizes a typed code. Word processors and input methods change digits, dashes and blanks and add invisible
 * characters.
 */
export function typedCode(text: string): string {
  return text.normalize('NFKC').replaceAll(/[\s\p{Dash}\p{Cf}]/gu, '');
}
