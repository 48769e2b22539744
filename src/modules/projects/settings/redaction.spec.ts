import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileRedaction, PROPERTY_PATH_PATTERN, REDACTED } from './redaction.js';

const SECRET = 's3cr3t';
const R = REDACTED;

describe('redaction of properties', () => {
  it.each<[string, string[], object, object]>([
    ['a name', ['pin'], { pin: SECRET, other: 1 }, { pin: R, other: 1 }],
    ['a nested name', ['card.number'], { card: { number: SECRET, brand: 'x' } }, { card: { number: R, brand: 'x' } }],
    ['the same name elsewhere not', ['card.number'], { number: 1, a: { number: 2 } }, { number: 1, a: { number: 2 } }],
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
    ['names exactly', ['Pin'], { pin: 1 }, { pin: 1 }],
    ['nothing through text', ['a.b'], { a: 'text' }, { a: 'text' }],
  ])('masks %s', (_, paths, properties, expected) => {
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
