import fc from 'fast-check';
import type { OperatorName } from '../../src/modules/events/conditions/index.js';
import { patternFault } from '../../src/modules/events/conditions/patterns/text-pattern.js';

export const MAX_TEXT = 200;
/** Small alphabets, so that compared values are often equal. */
const WORDS = [
  '',
  'a',
  'b',
  'ab',
  'A',
  'ä😀',
  'a.b',
  '1',
  '01',
  '-1',
  ' 1',
  'true',
  'null',
  '%',
  '_',
  '\\',
  'line\nbreak',
  '\u212a',
  '\u017fÄ😀',
  'k',
];
const NUMBERS = [0, 1, -1, 1.5, 100, 1e21, 2 ** 53 + 2, 0.1, 1e-7];
const word = fc.constantFrom(...WORDS);
const numeric = fc.constantFrom(...NUMBERS);
const scalar = fc.oneof(word, numeric, fc.boolean());
const name = fc.constantFrom('a', 'b', 'a.b', '0', '1', '01', '-1', ' 1', 'constructor');

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));
export const event = fc.record({
  event: fc.constantFrom('a', 'ab', 'b'),
  severity: fc.option(word),
  status: fc.option(word),
  environment: fc.option(word),
  message: fc.option(word),
  log_status: fc.constantFrom(200, 404, 500),
  log_latency_ms: fc.option(fc.nat(3), { nil: undefined }),
  log_endpoint: word,
  properties: fc.dictionary(name, value, { maxKeys: 4 }),
});

export const property = fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => `properties.${path.join('.')}`);
export const textField = fc.constantFrom(
  'event',
  'severity',
  'status',
  'environment',
  'message',
  'log.endpoint',
  'log.route',
  'log.status_class',
  'source_id',
);
export const numberField = fc.constantFrom('log.status', 'log.latency_ms');
const part = fc.constantFrom(...WORDS.filter((text) => text !== ''));
/** Repeats of empty matches, and anchors at any position, are typical sources of bugs in regular expression engines. */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; sequence: string; piece: string; atom: string }>(
  (tie) => ({
    atom: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom('a', 'b', 'A', '1', '.', '\\d', '\\W', '[ab]', '[^a]', '[a-c1]', '\\.', '^', '$', '😀', '\\n'),
      tie('pattern').map((inner) => `(${inner})`),
    ),
    piece: fc
      .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '{2,3}', '*?'))
      .map(([atom, quantifier]) => (atom === '^' || atom === '$' ? atom : `${atom}${quantifier}`)),
    sequence: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
    pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  }),
);
const samples = fc.constantFrom('a', '^a$', '(?i)^A', '[^a]', '\\.', 'b|😀', '^.$', '^\\d+$', '(a|b)+$', 'e\nb', '\\s');
export const pattern = fc.oneof(
  samples,
  anyPattern.filter((source) => patternFault(source) === null),
);
/**
 * Generators of the operands of an operator, for text fields, number fields and properties. Null: the operator is
 * rejected there.
 */
interface Asked {
  readonly text: fc.Arbitrary<unknown> | null;
  readonly number: fc.Arbitrary<unknown> | null;
  readonly property: fc.Arbitrary<unknown>;
}
const some = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 3 });
const equality: Asked = { text: word, number: numeric, property: scalar };
const ordering: Asked = { text: null, number: numeric, property: numeric };
/** The generators of every operator. */
const ASKED: Readonly<Record<OperatorName, Asked>> = {
  eq: equality,
  ne: equality,
  in: { text: some(word), number: some(numeric), property: fc.oneof(some(word), some(numeric), some(scalar)) },
  contains: { text: part, number: null, property: fc.oneof(part, numeric, fc.boolean()) },
  starts_with: { text: part, number: null, property: part },
  matches: { text: pattern, number: null, property: pattern },
  gt: ordering,
  gte: ordering,
  lt: ordering,
  lte: ordering,
  exists: { text: fc.boolean(), number: fc.boolean(), property: fc.boolean() },
};
const asking = (type: keyof Asked): fc.Arbitrary<object> =>
  fc.oneof(
    ...Object.entries(ASKED).flatMap(([op, { [type]: value }]) =>
      value === null ? [] : [fc.record({ op: fc.constant(op), value })],
    ),
  );
const comparison = fc.oneof(
  fc.tuple(textField, asking('text')),
  fc.tuple(numberField, asking('number')),
  fc.tuple(property, asking('property')),
);
export const { filter } = fc.letrec<{ filter: object; list: object[] }>((tie) => ({
  list: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison.map(([field, test]) => ({ field, ...test })),
    fc.record({ all: tie('list') }),
    fc.record({ any: tie('list') }),
    fc.record({ not: tie('filter') }),
    fc.record({ all: tie('list'), any: tie('list'), not: tie('filter') }, { requiredKeys: ['not'] }),
  ),
}));
