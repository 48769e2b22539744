import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileRedaction, PROPERTY_PATH_PATTERN, REDACTED, Redaction } from './redaction.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const SECRET = 's3cr3t';
const R = REDACTED;

describe('redaction of properties', () => {
  it.each<[string, string[], object, object]>([
    ['a name', ['pin'], { pin: SECRET, other: 1 }, { pin: R, other: 1 }],
    ['a nested name', ['card.number'], { card: { number: SECRET, brand: 'x' } }, { card: { number: R, brand: 'x' } }],
    ['no name at another path', ['card.number'], { number: 1, a: { number: 2 } }, { number: 1, a: { number: 2 } }],
    [
      'any member by *',
      ['users.*.email'],
      { users: { a: { email: SECRET, id: 1 }, b: { email: SECRET } } },
      { users: { a: { email: R, id: 1 }, b: { email: R } } },
    ],
    ['items by *', ['users.*.email'], { users: [{ email: SECRET }, 'x'] }, { users: [{ email: R }, 'x'] }],
    [
      'items without *',
      ['users.email'],
      { users: [{ email: SECRET }, [{ email: SECRET }]] },
      { users: [{ email: R }, [{ email: R }]] },
    ],
    [
      'one item by its index',
      ['users.1.email'],
      { users: [{ email: 'a' }, { email: SECRET }] },
      { users: [{ email: 'a' }, { email: R }] },
    ],
    ['a whole list', ['users'], { users: [SECRET, { a: SECRET }] }, { users: R }],
    ['every item of a list', ['users.*'], { users: [SECRET, SECRET] }, { users: [R, R] }],
    ['a dotted name', ['card.number'], { 'card.number': SECRET }, { 'card.number': R }],
    [
      'a dotted name that goes deeper',
      ['card'],
      { 'card.number': SECRET, 'cards.number': 1 },
      { 'card.number': R, 'cards.number': 1 },
    ],
    [
      'a partly dotted name',
      ['a.b.c'],
      { 'a.b': { c: SECRET }, a: { 'b.c': SECRET } },
      { 'a.b': { c: R }, a: { 'b.c': R } },
    ],
    ['null, numbers and objects', ['a', 'b', 'c'], { a: null, b: 0, c: {} }, { a: R, b: R, c: R }],
    ['everything by *', ['*'], { a: 1, b: { c: 2 } }, { a: R, b: R }],
    [
      'both of overlapping paths',
      ['a.*.x', 'a.b.y'],
      { a: { b: { x: SECRET, y: SECRET, z: 1 } } },
      { a: { b: { x: R, y: R, z: 1 } } },
    ],
    ['only the exact name', ['Pin'], { pin: 1 }, { pin: 1 }],
    ['nothing within text', ['a.b'], { a: 'text' }, { a: 'text' }],
  ])('masks at its paths %s', (_, paths, properties, expected) => {
    const before = structuredClone(properties);
    expect(compileRedaction(paths)(properties as Record<string, unknown>)).toEqual(expected);
    expect(properties).toEqual(before);
  });

  it('keeps a key called __proto__ plain data', () => {
    const properties = JSON.parse(`{"__proto__": {"pin": "${SECRET}"}, "a": 1}`) as Record<string, unknown>;
    expect(JSON.stringify(compileRedaction(['__proto__.pin'])(properties))).toBe(`{"__proto__":{"pin":"${R}"},"a":1}`);
  });

  it('gives properties back untouched when there is nothing to mask', () => {
    const properties = { a: { b: [1, { c: 2 }] } };
    expect(compileRedaction([])(properties)).toBe(properties);
  });

  it('lets no value at a listed path through, however deep, and changes nothing else', () => {
    const name = fc.stringMatching(/^[a-c]{1,2}$/);
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 5 }),
        fc.object({ key: name, maxDepth: 3 }),
        (path, rest) => {
          const leaf: unknown = SECRET;
          const nested = path.reduceRight((value, key) => ({ [key]: value }), leaf) as Record<string, unknown>;
          const properties = { ...rest, ...nested };
          const out = compileRedaction([path.join('.')])(properties);
          expect(JSON.stringify(out)).not.toContain(SECRET);
          const [first = ''] = path;
          for (const key of Object.keys(rest)) if (key !== first) expect(out[key]).toEqual(rest[key]);
        },
      ),
    );
  });

  it('masks what a plain reading of its rules masks', () => {
    fc.assert(
      fc.property(fc.array(PATH, { maxLength: 4 }), PROPERTIES, (paths, properties) => {
        expect(compileRedaction(paths)(properties)).toEqual(plainly(paths, properties));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('masks a value found by its keys as it masks it among the others', () => {
    fc.assert(
      fc.property(fc.array(PATH, { maxLength: 4 }), PROPERTIES, (paths, properties) => {
        const redaction = new Redaction(paths);
        for (const { keys, value } of everyValue(properties)) {
          const isHidden = keys.some((_, end) => isMasked(paths, keys.slice(0, end)));
          if (isHidden) continue;
          expect(redaction.valueAt(keys, value)).toEqual(maskedAt(paths, keys, value));
        }
      }),
    );
  });

  it('costs no more than the size of what comes, whatever the paths', () => {
    fc.assert(
      fc.property(fc.array(LONG_PATH, { minLength: 1, maxLength: 50 }), NESTED, (paths, value) => {
        const redaction = new Redaction(paths);
        redaction.properties({ a: value });
        expect(redaction.paths.stepsTaken).toBeLessThanOrEqual(2 * sizeOf(value) + 2);
        expect(redaction.paths.words).toBeLessThanOrEqual(1 + (50 * 102) / 32);
      }),
    );
  });

  it('takes as many steps as there are lists in each other, and not their power of two', () => {
    const redaction = new Redaction([Array.from({ length: 30 }, () => '*').join('.')]);
    let value: unknown = 1;
    for (let level = 0; level < 60; level += 1) value = [value];
    redaction.properties({ a: value });
    expect(redaction.paths.stepsTaken).toBeLessThanOrEqual(62);
  });

  it.each([
    ['a', true],
    ['a.b', true],
    ['a.*.c', true],
    ['$ref.x y', true],
    ['', false],
    ['.a', false],
    ['a.', false],
    ['a..b', false],
  ])('takes %p for a path: %p', (path, isPath) => {
    expect(PROPERTY_PATH_PATTERN.test(path)).toBe(isPath);
  });
});

const NAME = fc.constantFrom('a', 'b', '0', '1', '*');
const PATH = fc.array(NAME, { minLength: 1, maxLength: 4 }).map((names) => names.join('.'));
const LONG_PATH = fc.array(NAME, { minLength: 1, maxLength: 100 }).map((names) => names.join('.'));
const KEY = fc.oneof(
  fc.constantFrom('a', 'b', '0', '1', 'c', ''),
  fc.array(fc.constantFrom('a', 'b', '1', 'c', ''), { minLength: 2, maxLength: 3 }).map((names) => names.join('.')),
);
const VALUES = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(1, 'x', null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(KEY, tie('value'), { maxKeys: 3 }),
  ),
}));
const PROPERTIES = fc.dictionary(KEY, VALUES.value, { maxKeys: 4 });
const NESTED = fc
  .tuple(VALUES.value, fc.array(fc.constantFrom('list', 'a', 'a.b.a.b.a'), { maxLength: 60 }))
  .map(([inner, around]) =>
    around.reduce<unknown>((value, by) => (by === 'list' ? [value, 1] : { [by]: value }), inner),
  );

type Keys = readonly (string | number)[];

/** Applies the rules in the simplest way, as the guide describes them: one path after another. */
function plainly(paths: readonly string[], properties: Record<string, unknown>): unknown {
  return maskedAt(paths, [], properties);
}

function maskedAt(paths: readonly string[], keys: Keys, value: unknown): unknown {
  if (isMasked(paths, keys)) return REDACTED;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => maskedAt(paths, [...keys, index], item));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, maskedAt(paths, [...keys, key], member)]),
  );
}

function isMasked(paths: readonly string[], keys: Keys): boolean {
  return keys.length > 0 && paths.some((path) => leads(path.split('.'), keys));
}

function leads(names: readonly string[], keys: Keys): boolean {
  if (names.length === 0) return true;
  const [key, ...rest] = keys;
  if (key === undefined) return false;
  if (typeof key === 'number' && leads(names, rest)) return true;
  const parts = String(key).split('.');
  const isThere = parts.slice(0, names.length).every((part, at) => names[at] === '*' || names[at] === part);
  return isThere && (parts.length >= names.length || leads(names.slice(parts.length), rest));
}

function* everyValue(value: unknown, keys: Keys = []): Generator<{ keys: Keys; value: unknown }> {
  if (keys.length > 0) yield { keys, value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* everyValue(member, [...keys, Array.isArray(value) ? Number(key) : key]);
  }
}

/** Counts the names, the parts of dotted names and the list items of a value. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce(
    (sum, [key, member]) => sum + (Array.isArray(value) ? 1 : key.split('.').length) + sizeOf(member),
    1,
  );
}
