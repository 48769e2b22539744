/** A value that events can be compared with. Null: the field is missing. */
export type Scalar = string | number | boolean | null;

/** The service cuts the values of facets here, and a condition has 2,000 characters at most. */
export const MAX_COMPARED_CHARACTERS = 200;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Returns a value as EQL writes it. */
export function literalOf(value: Exclude<Scalar, null>): string {
  if (typeof value !== 'string') return String(value);
  // EQL has other escapes than JSON.
  const escaped = value.replace(/[\\"\u0001-\u001f\u007f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    return ESCAPES.get(character) ?? `\\u{${code}}`;
  });
  return `"${escaped}"`;
}

/** Returns a property as EQL writes it. @param path such as `properties.cart.items.0`, as facets take it */
export function fieldOf(path: string): string {
  const [first = '', ...rest] = path.split('.');
  return first + rest.map(partOf).join('');
}

function partOf(name: string): string {
  if (/^(0|[1-9]\d{0,5})$/.test(name)) return `[${name}]`;
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.\`${name.replaceAll('`', '``')}\``;
}

/** Returns the path of a property that EQL names, as facets take it. */
export function pathOf(field: string): string {
  const plain = field
    .replace(/`((?:``|[^`])*)`/g, (_, name: string) => name.replaceAll('``', '`'))
    .replace(/\[(\d+)\]/g, '.$1');
  return plain.startsWith('properties.') ? plain : `properties.${plain}`;
}

/** Returns the condition that a field has a value. Long texts are compared by their first characters. */
export function isValue(field: string, value: Scalar): string {
  if (value === null) return `${field} == null`;
  const characters = typeof value === 'string' ? [...value] : [];
  if (characters.length < MAX_COMPARED_CHARACTERS) return `${field} == ${literalOf(value)}`;
  return `startsWith(${field}, ${literalOf(characters.slice(0, MAX_COMPARED_CHARACTERS).join(''))})`;
}

/** Returns the condition that a field has another value, or none. */
export function isOther(field: string, value: Scalar): string {
  return value === null ? `${field} != null` : `(${field} == null or not ${isValue(field, value)})`;
}

/** Returns the condition that a text is part of an event, in any case. */
export function hasText(text: string): string {
  const fields = ['event', 'log.endpoint', 'log.method', 'message', 'source'];
  const tests = fields.map((field) => `stringContains~(${field}, ${literalOf(text)})`);
  if (/^[1-5]\d\d$/.test(text)) tests.push(`log.status == ${text}`);
  return `(${tests.join(' or ')})`;
}

const PIECES = /"""[^\r\n]*?"{0,2}"""|"(?:\\.|[^"\\])*"?|`(?:``|[^`])*`?|\/\/[^\n]*|\/\*[^]*?\*\/|[()[\]]|[\w.]+|[^]/g;
const COMMENT = /^\/[/*]/;

/** Removes comments, which could take the clauses behind them with them. */
function withoutComments(condition: string): string {
  return condition.replace(PIECES, (piece) => (COMMENT.test(piece) ? ' ' : piece));
}

/** Splits a condition at a word that is not within parentheses. */
function splitAt(word: 'and' | 'or', condition: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  for (const [piece] of condition.matchAll(PIECES)) {
    if (piece === '(' || piece === '[') depth += 1;
    if (piece === ')' || piece === ']') depth -= 1;
    if (depth === 0 && piece === word) {
      parts.push(part);
      part = '';
    } else {
      part += piece;
    }
  }
  return [...parts, part].map((part) => part.trim()).filter((part) => part !== '');
}

/** Returns the clauses that must all be true. A condition with `or` outside of parentheses is one clause. */
export function clausesOf(where = ''): string[] {
  const plain = withoutComments(where).trim();
  return splitAt('or', plain).length > 1 ? [plain] : splitAt('and', plain);
}

/** Joins clauses to one condition. Undefined: there is none. */
export function allOf(clauses: readonly string[]): string | undefined {
  if (clauses.length < 2) return clauses[0];
  // Without parentheses, `or` would take the other clauses into its alternatives.
  return clauses
    .map(withoutComments)
    .map((clause) => (splitAt('or', clause).length > 1 ? `(${clause})` : clause))
    .join(' and ');
}

/**
 * Returns a query for events with more conditions. Undefined: it is a query for sequences or samples, whose steps have
 * a condition each.
 */
export function narrowedQuery(query: string, clauses: readonly string[]): string | undefined {
  if (clauses.length === 0) return query;
  const pieces: readonly string[] = withoutComments(query).match(PIECES) ?? [];
  const where = pieces.indexOf('where');
  const isOfEvents = pieces.slice(0, where).filter((piece) => piece.trim() !== '').length === 1;
  if (where < 0 || !isOfEvents) return undefined;
  const pipe = pieces.indexOf('|');
  const end = pipe < 0 ? pieces.length : pipe;
  const condition = allOf([
    `(${pieces
      .slice(where + 1, end)
      .join('')
      .trim()})`,
    ...clauses,
  ]);
  return `${pieces.slice(0, where).join('')}where ${condition} ${pieces.slice(end).join('')}`.trim();
}

/** Reads values as EQL writes them in a list. Undefined: the text is no list of values. */
function valuesIn(list: string): Scalar[] | undefined {
  const json = list.replace(/\\(?:u\{([0-9a-f]{2})\}|.)/g, (each, code?: string) =>
    code === undefined ? each : `\\u00${code}`,
  );
  try {
    const values: unknown = JSON.parse(`[${json}]`);
    const isScalar = (each: unknown): each is Scalar => each === null || typeof each !== 'object';
    return Array.isArray(values) && values.every(isScalar) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the values that a comparison accepts for a field. Undefined: it says something else. */
function comparedWith(comparison: string, field: string): Scalar[] | undefined {
  const within = (begin: string, end: string): string | undefined =>
    comparison.startsWith(begin) && comparison.endsWith(end)
      ? comparison.slice(begin.length, comparison.length - end.length)
      : undefined;
  const list = within(`${field} == `, '') ?? within(`${field} in (`, ')');
  if (list !== undefined) return valuesIn(list);
  // Long texts are compared by their first characters.
  const begun = valuesIn(within(`startsWith(${field}, `, ')') ?? '0')?.[0];
  return typeof begun === 'string' && [...begun].length === MAX_COMPARED_CHARACTERS ? [begun] : undefined;
}

/** Returns the values that a clause accepts for a field. Undefined: the clause says something else. */
export function acceptedBy(clause: string, field: string): Scalar[] | undefined {
  const plain = clause.startsWith('(') && clause.endsWith(')') ? clause.slice(1, -1) : clause;
  const alternatives = splitAt('or', plain).map((each) => comparedWith(each, field));
  return alternatives.every((each) => each !== undefined) ? alternatives.flat() : undefined;
}

/** Returns the condition that a field has one of several values. */
export function isAnyOf(field: string, values: readonly Scalar[]): string {
  const isShort = (value: Scalar): value is Exclude<Scalar, null> =>
    value !== null && (typeof value !== 'string' || [...value].length < MAX_COMPARED_CHARACTERS);
  if (values.every(isShort)) return `${field} in (${values.map(literalOf).join(', ')})`;
  return `(${values.map((value) => isValue(field, value)).join(' or ')})`;
}
