import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternFault, TextPattern } from './text-pattern.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const matches = (source: string, text: string): boolean => new TextPattern('project', source).isIn(text);

/** Patterns of the subset that has the same meaning in JavaScript. Small alphabets make matches likely. */
const { pattern } = fc.letrec<{ pattern: string; sequence: string; piece: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c', '.', '\\d', '\\w', '\\S', '[ab]', '[^ab]', '[a-c1]', '\\.', '^', '$', '-'),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  piece: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?'))
    .map(([atom, quantifier]) => (atom === '^' || atom === '$' ? atom : `${atom}${quantifier}`)),
  sequence: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((options) => options.join('|')),
}));
const subject = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', '-', '\n', '😀'), maxLength: 12 });

describe('a text pattern', () => {
  it('finds what a regular expression of JavaScript finds', () => {
    fc.assert(
      fc.property(pattern, subject, (source, text) => {
        fc.pre(patternFault(source) === null);
        expect(matches(source, text)).toBe(new RegExp(source, 'u').test(text));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it.each([
    ['timed? out', 'request timed out', true],
    ['^/api/v\\d+/users$', '/api/v12/users', true],
    ['^/api/v\\d+/users$', '/api/v12/users/7', false],
    ['(?i)^FATAL|panic', 'Fatal: no memory', true],
    ['(?i)[^a]', 'A', false],
    ['.', '\n', false],
    ['^.$', '😀', true],
    ['[]a]', ']', true],
    ['[a-]', '-', true],
    ['a{2,3}$', 'aaaa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['', '', true],
  ])('matches %p in %p: %p', (source, text, expected) => {
    expect(matches(source, text)).toBe(expected);
  });

  it.each([
    ['(a', "missing ')'"],
    ['a)', "unmatched ')'"],
    ['[a', "missing ']'"],
    ['*a', "nothing to repeat before '*'"],
    ['a**', 'multiple repeat'],
    ['^*', 'an anchor cannot be repeated'],
    ['(?=a)', 'groups are (…) or (?:…); looking around and flags inside a pattern cannot be used'],
    ['(a)\\1', '\\1 cannot be used'],
    ['\\bword', '\\b cannot be used'],
    ['[z-a]', 'a range of characters is the wrong way round'],
    ['[\\d-z]', 'a range goes from one character to another'],
    ['[^\\s\\S]', 'a class that holds no character'],
    ['((((){100}){100}){100}){100}', 'the pattern is too large; repeat less'],
    ['a.{99}.{99}.{58}', 'the pattern is too large; repeat less'],
    ['a{3,2}', 'the counts of a repeat are the wrong way round'],
    ['a{101}', 'repeat counts go up to 100'],
    ['a{x}', "'{' must begin {n}, {n,} or {n,m}; write \\{ for the character"],
    ['(a{100}){100}', 'the pattern is too large; repeat less'],
    ['a\\', 'the pattern ends too early'],
    ['('.repeat(30), 'groups nest too deep'],
    ['a'.repeat(201), 'patterns have at most 200 characters'],
  ])('refuses %p: %s', (source, reason) => {
    expect(patternFault(source)).toBe(reason);
  });

  it('does not choke on patterns that make others backtrack for ever', () => {
    const text = `${'a'.repeat(4_000)}!`;
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', 'a*a*a*a*a*a*b', '(?:a?){50}a{50}b', '(.*)*x']) {
      expect(matches(source, text)).toBe(false);
    }
  });

  it('finds what RE2 finds, in narrow and in wide machines', () => {
    const wide = fc
      .tuple(pattern, fc.integer({ min: 1, max: 40 }))
      .map(([source, times]) => `(?:${source}|a{${times}}b{0,${times}}.{${times}})`);
    fc.assert(
      fc.property(fc.oneof(pattern, wide), subject, (source, text) => {
        fc.pre(patternFault(source) === null);
        const long = `${text}${'ab'.repeat(40)}${text}`;
        const other = RE2JS.compile(source);
        expect([matches(source, text), matches(source, long)]).toEqual([other.test(text), other.test(long)]);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('costs the same whatever the text', () => {
    const worst = new TextPattern('project', '(a|b)*a(a|b){100}[^c]{100}[^d]{50}c');
    expect(worst.stepsIn('a'.repeat(10_000))).toBe(4_096 * 8 * 66);
  });

  it('searches the first 4,096 characters', () => {
    expect(matches('b', `${'a'.repeat(4_095)}b`)).toBe(true);
    expect(matches('b', `${'a'.repeat(4_096)}b`)).toBe(false);
    expect(matches('a$', `${'a'.repeat(4_096)}b`)).toBe(true);
  });
});
