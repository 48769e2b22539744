/** The HTML names of the characters U+00A0 to U+00FF, in order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
  'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
  'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

const ASCII: Readonly<Record<string, string>> = {
  '\t': 'Tab',
  '\n': 'NewLine',
  '!': 'excl',
  '"': 'quot QUOT',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp AMP',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast midast',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt LT',
  '=': 'equals',
  '>': 'gt GT',
  '?': 'quest',
  '@': 'commat',
  '[': 'lsqb lbrack',
  '\\': 'bsol',
  ']': 'rsqb rbrack',
  '^': 'Hat',
  _: 'lowbar UnderBar',
  '`': 'grave DiacriticalGrave',
  '{': 'lcub lbrace',
  '|': 'verbar vert VerticalLine',
  '}': 'rcub rbrace',
};

const CODE_POINTS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(ASCII).flatMap(([character, names]) =>
    names.split(' ').map((name) => [name, character.charCodeAt(0)] as const),
  ),
  ...LATIN.split(' ').map((name, at) => [name, 0xa0 + at] as const),
]);
const LONGEST = Math.max(...[...CODE_POINTS.keys()].map((name) => name.length));
const SHORTEST = 2;

/** Returns the longest entity at the start of `letters`, or null. As in browsers, the entity may lack its semicolon. */
export function entityAt(letters: string): { readonly length: number; readonly codePoint: number } | null {
  for (let length = Math.min(LONGEST, letters.length); length >= SHORTEST; length -= 1) {
    const codePoint = CODE_POINTS.get(letters.slice(0, length));
    if (codePoint !== undefined) return { length, codePoint };
  }
  return null;
}
