import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AnyField,
  BooleanField,
  compile,
  DateTimeField,
  EmailField,
  EnumField,
  IntField,
  int,
  ListField,
  MAX_ISSUES,
  nested,
  NestedField,
  NumberField,
  ObjectField,
  TextField,
  UrlField,
  UuidField,
  validateJson,
  validateStrings,
} from './index.js';
import { isSafeText } from './safe-text.js';
import { anyText } from '../../../../test/support/property-runs.js';

class Line {
  @TextField({ min: 1, max: 20 })
  sku!: string;

  @IntField({ min: 1, max: 99 })
  quantity!: number;
}

class Order {
  @UuidField()
  id!: string;

  @TextField({ max: 50, nullable: true })
  title!: string | null;

  @TextField({ min: 8, max: 60 })
  password!: string;

  @EmailField({ optional: true })
  email?: string;

  @NumberField({ gt: 0 })
  total!: number;

  @BooleanField({ optional: true })
  paid?: boolean;

  @EnumField(['new', 'done'])
  state!: string;

  @DateTimeField()
  placed_at!: Date;

  @UrlField({ optional: true })
  link?: string;

  @ObjectField({ optional: true })
  extra?: Record<string, unknown>;

  @AnyField({ optional: true })
  anything?: unknown;

  @NestedField(() => Line)
  first!: Line;

  @ListField(nested(() => Line), { max: 5 })
  lines!: Line[];

  @ListField(int(), { min: 1 })
  scores!: number[];
}

const schema = compile(Order);
const FIELDS = [
  'id',
  'title',
  'password',
  'email',
  'total',
  'paid',
  'state',
  'placed_at',
  'link',
  'extra',
  'anything',
  'first',
  'lines',
  'scores',
];

const key = fc.string({ unit: 'grapheme', maxLength: 8 }).filter(isSafeText);
const freeJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }).filter((value) => {
  const written = JSON.stringify(value);
  return !/\\u0000|\\ud[89a-f]/i.test(written);
});
const line = fc.record({
  sku: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }),
  quantity: fc.integer({ min: 1, max: 99 }),
});
const order = fc.record(
  {
    id: fc.uuid(),
    title: fc.option(fc.string({ maxLength: 50, unit: 'grapheme-ascii' })),
    password: fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' }),
    email: fc.constantFrom('ada@example.com', 'o.neil+tag@sub.example.co'),
    total: fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
    paid: fc.boolean(),
    state: fc.constantFrom('new', 'done'),
    placed_at: fc
      .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    link: fc.webUrl(),
    extra: fc.dictionary(key, freeJson),
    anything: freeJson,
    first: line,
    lines: fc.array(line, { maxLength: 5 }),
    scores: fc.array(fc.integer(), { minLength: 1 }),
  },
  { requiredKeys: ['id', 'title', 'password', 'total', 'state', 'placed_at', 'first', 'lines', 'scores'] },
);

type Path = (string | number)[];
const faults = fc.constantFrom<[Path, unknown]>(
  [['id'], 'x'],
  [['id'], 7],
  [['title'], 5],
  [['title'], 'x'.repeat(51)],
  [['title'], '\ud800'],
  [['password'], 'short'],
  [['email'], 'nobody'],
  [['email'], null],
  [['total'], 0],
  [['total'], 'much'],
  [['total'], []],
  [['paid'], 'perhaps'],
  [['state'], 'NEW'],
  [['placed_at'], '2025-02-30'],
  [['placed_at'], {}],
  [['link'], 'ftp://x/'],
  [['link'], 'x'],
  [['extra'], []],
  [['extra'], null],
  [['anything'], 'a\0'],
  [['first'], 'x'],
  [['first', 'sku'], ''],
  [['first', 'quantity'], 1.5],
  [['first', 'quantity'], undefined],
  [['lines'], {}],
  [['lines'], [1, 2, 3, 4, 5, 6]],
  [['scores'], []],
  [['scores', 0], null],
  [['scores', 0], 'one'],
  [['id'], undefined],
  [['password'], undefined],
);

function put(target: unknown, [head, ...rest]: Path, value: unknown): void {
  const holder = target as Record<string | number, unknown>;
  if (head === undefined) return;
  if (rest.length > 0) put(holder[head], rest, value);
  else if (value === undefined) delete holder[head];
  else holder[head] = value;
}

describe('any input at all', () => {
  it('takes every valid value and gives it back', () => {
    fc.assert(
      fc.property(order, (body) => {
        const result = validateJson(schema, body, 'body');
        expect(result).toHaveProperty('value');
        expect(JSON.parse(JSON.stringify((result as { value: object }).value))).toEqual(
          JSON.parse(JSON.stringify(body)),
        );
      }),
    );
  });

  it('gives one fault exactly one issue, at its place', () => {
    fc.assert(
      fc.property(order, faults, (body, [path, value]) => {
        const broken: unknown = structuredClone(body);
        put(broken, path, value);
        const result = validateJson(schema, broken, 'body');
        expect('issues' in result && result.issues.map((issue) => issue.loc)).toEqual([['body', ...path]]);
      }),
    );
  });

  it('never throws, and keeps its answer small', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue()));
    fc.assert(
      fc.property(anything, (body) => {
        const result = validateJson(schema, body, 'body');
        if ('value' in result) return;
        expect(result.issues.length).toBeGreaterThan(0);
        expect(result.issues.length).toBeLessThanOrEqual(MAX_ISSUES);
        expect(JSON.stringify(result.issues).length).toBeLessThan(60_000);
      }),
    );
  });

  it('never throws for texts by name', () => {
    const raw = fc.dictionary(
      fc.constantFrom(...FIELDS),
      fc.oneof(anyText(), fc.array(fc.string()), fc.constant(undefined)),
    );
    fc.assert(
      fc.property(
        raw,
        fc.constantFrom('query' as const, 'path' as const, 'header' as const, 'form' as const),
        (texts, loc) => {
          expect(validateStrings(schema, texts, loc)).toHaveProperty('issues');
        },
      ),
    );
  });

  it('never repeats a secret, whatever else is wrong', () => {
    const secret = fc.stringMatching(/^[a-z0-9]{12,40}$/).map((word) => `S3-${word}`);
    fc.assert(
      fc.property(
        order,
        secret,
        fc.array(faults, { maxLength: 6 }),
        fc.constantFrom('password', 'api_token', 'clientSecret'),
        (body, word, broken, name) => {
          const target: Record<string, unknown> = structuredClone(body);
          for (const [path, value] of broken) if (path.length === 1) put(target, path, value);
          target['password'] = [word];
          target['extra'] = { [name]: word, deep: { [name]: [word] }, bad: '\0' };
          const result = validateJson(schema, target, 'body');
          expect(result).toHaveProperty('issues');
          expect(JSON.stringify(result)).not.toContain(word);
        },
      ),
    );
  });

  it('survives 100,000 levels anywhere', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"lines":[', ']}'],
      ['{"extra":', '}'],
      ['{"first":', '}'],
    ] as const) {
      const deep = open.repeat(100_000) + '1' + close.repeat(100_000);
      for (const text of [
        deep,
        `{"extra":${deep},"anything":${deep},"lines":${deep},"title":${deep},"first":${deep}}`,
      ]) {
        const value: unknown = JSON.parse(text);
        const result = validateJson(schema, value, 'body');
        expect('issues' in result && JSON.stringify(result.issues).length < 60_000).toBe(true);
      }
    }
  });
});
