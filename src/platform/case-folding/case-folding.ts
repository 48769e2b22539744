/**
 * Matches texts that are only ASCII. This file does Unicode simple case folding, as regular expressions with the flags
 * `iu` do: each character folds to one character.
 */

const ASCII = /^[\0-\x7f]*$/;
const LAST = 0x1ffff;
const [SURROGATES, AFTER_SURROGATES] = [0xd800, 0xe000];
/** The dotless i. Its capital is that of `i`, but the two are not cases of one letter. */
const DOTLESS_I = 0x131;

/**
 * Returns the text with every character folded. Two texts are equal ignoring case when their folded texts are equal.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character.toLowerCase();
  if (code === DOTLESS_I) return character;
  const upper = character.toUpperCase();
  const capital = isOne(upper) ? upper : character;
  const lower = capital.toLowerCase();
  return isOne(lower) ? lower : capital;
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

/** For each folded character, the characters beyond ASCII that fold to it. Computed on first use, in some 50 ms. */
let variants: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the characters beyond ASCII that fold to a folded character, without that character itself. */
export function variantsOf(folded: string): readonly string[] {
  if (folded === 'k') return ['\u212a'];
  if (folded === 's') return ['\u017f'];
  if (folded.length === 1 && folded.charCodeAt(0) < 0x80) return [];
  return (variants ??= collect()).get(folded) ?? [];
}

function collect(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let code = 0x80; code <= LAST; code += 1) {
    if (code === SURROGATES) code = AFTER_SURROGATES;
    const character = String.fromCodePoint(code);
    const folded = foldCharacter(character);
    if (folded === character) continue;
    const known = found.get(folded);
    if (known === undefined) found.set(folded, [character]);
    else known.push(character);
  }
  return found;
}

/** Returns the code points beyond ASCII that fold to another one, each with that one. */
export function foldingPairs(): readonly (readonly [number, number])[] {
  return (pairs ??= [...(variants ??= collect())].flatMap(([folded, others]) =>
    others.map((other) => [codeOf(other), codeOf(folded)] as const),
  ));
}

let pairs: readonly (readonly [number, number])[] | undefined;

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
