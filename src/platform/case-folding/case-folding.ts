/** Matches text that contains only ASCII characters. */

const ASCII = /^[\0-\x7f]*$/;
const LAST = 0x1ffff;
const [SURROGATES, AFTER_SURROGATES] = [0xd800, 0xe000];
/** The dotless i. Its capital letter is the same as that of `i`, but it folds to itself. */
const DOTLESS_I = 0x131;

/**
 * Returns the text with Unicode simple case folding, as in regular expressions with the flags `iu`: each character
 * folds to one character. Two texts are equal ignoring case when their folded texts are equal.
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

/**
 * The characters beyond ASCII that fold to a folded character, by this folded character. Computed on first use, in
 * about 50 ms.
 */
let variants: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the characters beyond ASCII that fold to the given folded character, without the folded character itself. */
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

/** Returns pairs of code points: one beyond ASCII, and the different one that it folds to. */
export function foldingPairs(): readonly (readonly [number, number])[] {
  return (pairs ??= [...(variants ??= collect())].flatMap(([folded, others]) =>
    others.map((other) => [codeOf(other), codeOf(folded)] as const),
  ));
}

let pairs: readonly (readonly [number, number])[] | undefined;

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
