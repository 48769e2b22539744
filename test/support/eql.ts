import fc from 'fast-check';
import { propertyRuns } from './property-runs.js';

/** The number of cases for each property of the language; `EQL_RUNS` overrides it. */
export const EQL_RUNS = Number(process.env.EQL_RUNS ?? propertyRuns(200, 40));

/** Returns a text as a literal of a query. */
export function quoted(text: string): string {
  const escaped = [...text].map((character) =>
    /[\p{L}\p{N} %_*?.^$|()[\]{}+-]/u.test(character)
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}}`,
  );
  return `"${escaped.join('')}"`;
}

const WORDS = [
  '',
  'a',
  'A',
  'ab',
  'b',
  'ä😀',
  'Ä😀',
  'k',
  '\u212a',
  '\u017f',
  's',
  '1',
  '01',
  ' 1',
  'true',
  '%',
  '_',
  '\\',
  'e\nb',
];
const PATTERNS = ['*', '?', 'a*', '*A', '?b', 'a?', '*k*', '\u212a', 'S', 'Ä?', '%', '_', '\\', '**', '*?*'];
const REGEXES = ['.*', 'a+', '[aA]b?', '(a|b)+', '[^a]', 'Ä.', 'k', '[\u0080-\uffff].?', '\\\\d+', 's{1,2}'];
const text = fc.constantFrom(...WORDS).map(quoted);
const number = fc.constantFrom('0', '1', '-1', '1.5', '2', '100', '2.0', '3', '1e21', '0.1');
const scalar = fc.oneof(text, text, number, fc.constantFrom('true', 'false'));
const name = fc.constantFrom('a', 'b', 'a.b', '0', '1', '01', '-1', ' 1', 'constructor');
const property = fc
  .tuple(fc.constantFrom('', '?'), fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([mark, path]) => `${mark}\`properties\`.${path.map((one) => `\`${one}\``).join('.')}`);
const textField = fc.constantFrom('event', 'severity', 'status', 'message', 'log.endpoint', '_id');
const numberField = fc.constantFrom('log.status', 'log.latency_ms');
const sign = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<string> =>
  fc.array(one, { minLength: 1, maxLength: 4 }).map((values) => `(${values.join(', ')})`);
const textual = fc.oneof(property, textField);
const searched = fc
  .tuple(
    fc.constantFrom('startsWith', 'endsWith', 'stringContains'),
    fc.constantFrom('', '~'),
    textual,
    fc.oneof(text, textual),
  )
  .map(([called, mark, source, part]) => `${called}${mark}(${source}, ${part})`);

const { numeric } = fc.letrec<{ numeric: string }>((tie) => ({
  numeric: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    property,
    number,
    numberField,
    textual.map((source) => `length(${source})`),
    fc.tuple(textual, text).map(([source, part]) => `indexOf~(${source}, ${part})`),
    textual.map((source) => `number(${source})`),
    fc
      .tuple(tie('numeric'), fc.constantFrom('+', '-', '*', '/', '%'), tie('numeric'))
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    tie('numeric').map((operand) => `(-${operand})`),
  ),
}));
const madeText = fc.oneof(
  textual.map((source) => `concat(${source}, "-", ${source})`),
  property.map((source) => `string(${source})`),
  fc.tuple(textual, fc.constantFrom('0', '1', '-1', 'null')).map(([source, start]) => `substring(${source}, ${start})`),
  fc.tuple(textual, text, text).map(([source, left, right]) => `between~(${source}, ${left}, ${right}, true)`),
);

/** Conditions, most of which have an SQL form. Some are rejected for their types. */
export const { condition: anyCondition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(property, sign, scalar).map((parts) => parts.join(' ')),
    fc.tuple(scalar, sign, property).map((parts) => parts.join(' ')),
    fc.tuple(textField, sign, text).map((parts) => parts.join(' ')),
    fc.tuple(numberField, sign, number).map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constant('timestamp'), sign, fc.constantFrom('"2026-03-01T12:00:00Z"', '"2026-03-01"'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(fc.oneof(property, textField, numberField), fc.constantFrom('== null', '!= null'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(property, fc.constantFrom('in', 'not in'), list(fc.oneof(scalar, scalar, fc.constant('null'))))
      .map((parts) => parts.join(' ')),
    fc.tuple(textual, fc.constantFrom('in', 'in~', 'not in~'), list(text)).map((parts) => parts.join(' ')),
    fc
      .tuple(textual, fc.constantFrom(':', 'like', 'like~'), list(fc.constantFrom(...PATTERNS).map(quoted)))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(textual, fc.constantFrom('regex', 'regex~'), list(fc.constantFrom(...REGEXES.map((one) => `"${one}"`))))
      .map((parts) => parts.join(' ')),
    searched,
    property,
    fc.constantFrom('true', 'false', 'null'),
    fc.tuple(numeric, sign, numeric).map((parts) => parts.join(' ')),
    fc.tuple(madeText, fc.constantFrom('==', ':'), text).map((parts) => parts.join(' ')),
    fc.tuple(property, fc.constantFrom('==', '!=', '<'), property).map((parts) => parts.join(' ')),
    tie('condition').map((inner) => `not (${inner})`),
    tie('condition').map((inner) => `(${inner}) == null`),
    fc
      .tuple(tie('condition'), fc.constantFrom('and', 'or'), tie('condition'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
  ),
}));

const filter = fc
  .tuple(fc.constantFrom('any', 'a', '"a b"', 'payment.failed'), anyCondition)
  .map(([category, one]) => `${category} where ${one}`);
const keys = fc.constantFrom('', ' by a', ' by ?a.b, `odd name`');
const pipes = fc.constantFrom('', ' | head 3', ' | tail 2 | head 1');
const term = fc.tuple(filter, fc.constantFrom('', ' with runs=2')).map(([one, runs]) => `[${one}]${runs}`);

/** Queries of each kind. */
export const anyQuery = fc.oneof(
  fc.tuple(filter, pipes).map((parts) => parts.join('')),
  fc
    .tuple(
      keys,
      fc.array(term, { minLength: 2, maxLength: 4 }),
      fc.option(filter, { nil: null }),
      fc.option(filter, { nil: null }),
      pipes,
    )
    .map(([by, terms, missing, until, piped]) => {
      const gap = missing === null ? '' : ` ![${missing}]`;
      return `sequence${by} with maxspan=5m ${terms.join(' ')}${gap}${until === null ? '' : ` until [${until}]`}${piped}`;
    }),
  fc
    .array(filter, { minLength: 2, maxLength: 4 })
    .map((filters) => `sample by a ${filters.map((one) => `[${one}]`).join(' ')}`),
);
