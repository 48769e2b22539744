import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyQuery, EQL_RUNS } from '../support/eql.js';
import { printQuery, withoutSpans } from '../support/eql-printer.js';
import { fieldsIn } from '../../src/modules/events/eql-language/language/ast.js';
import { writtenProperty } from '../../src/modules/events/eql-language/language/field-names.js';
import { parseCondition, parseQuery } from '../../src/modules/events/eql-language/language/query-parser.js';
import { RESERVED_WORDS } from '../../src/modules/events/eql-language/language/words.js';
import { positionOf, QueryFault } from '../../src/modules/events/eql-language/language/query-fault.js';
import { anyText } from '../support/property-runs.js';

/** Characters that begin and end things. */
const PIECES = [
  '"',
  "'",
  '`',
  '(',
  ')',
  '[',
  ']',
  '!',
  '=',
  ':',
  '~',
  '|',
  '?',
  '.',
  '\\',
  '/*',
  '//',
  '-',
  '1',
  'e',
  '\n',
  '😀',
  'not ',
];

describe('the text of a query', () => {
  it('says the same when it is written from its tree', () => {
    fc.assert(
      fc.property(anyQuery, (text) => {
        const tree = parseQuery(text);
        expect(withoutSpans(parseQuery(printQuery(tree)))).toEqual(withoutSpans(tree));
      }),
      { numRuns: EQL_RUNS },
    );
  });

  it('is read or refused at a place inside of it, whatever is changed in it', () => {
    const changed = fc
      .tuple(anyQuery, fc.nat(), fc.nat(3), fc.constantFrom('', ...PIECES))
      .map(([text, at, left, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + left);
      });
    fc.assert(
      fc.property(changed, (text) => {
        try {
          parseQuery(text);
        } catch (error) {
          if (!(error instanceof QueryFault)) throw error;
          const { line, column, length } = positionOf(text, error.span);
          const written = text.split('\n')[line - 1];
          expect(written).toBeDefined();
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual([...(written ?? '')].length + 1);
          expect(error.span.offset + error.span.length).toBeLessThanOrEqual(text.length);
          expect(length).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 5 * EQL_RUNS },
    );
  });

  it('names every property that can be named, as it is told to be written', () => {
    const part = fc.oneof(
      anyText({ maxLength: 12 }),
      fc.constantFrom(
        ...RESERVED_WORDS,
        'properties',
        'event',
        'log',
        'status',
        '@timestamp',
        'ä',
        'a~',
        'in~',
        ' ',
        '0',
      ),
      fc.constantFrom('a'.repeat(190), 'a.'.repeat(20), '`', '', 'maxspan', 'length', '//', '"'),
    );
    const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(name, (joined) => {
        const written = writtenProperty(joined);
        if (written === null) {
          expect(joined.length > 150 || /^$|[\r\n]/.test(joined)).toBe(true);
          return;
        }
        const [field, ...others] = fieldsIn(parseCondition(`${written} == null`));
        expect([field?.own, field?.path.join('.'), others]).toEqual([null, joined, []]);
      }),
      { numRuns: 5 * EQL_RUNS },
    );
  });

  it.each([
    ['brackets', `any where ${'('.repeat(9_000)}true`],
    ['signs', `any where ${'-'.repeat(9_000)}1 == 1`],
    ['not', `any where ${'not '.repeat(2_400)}true`],
    ['functions', `any where ${'length('.repeat(1_400)}a`],
    ['methods', `any where a${':length()'.repeat(1_100)} == 1`],
    ['sums', `any where a == ${'1+'.repeat(4_000)}1`],
    ['comparisons', `any where ${'a == '.repeat(1_900)}1`],
    ['quotes', `any where a == ${'"" '.repeat(3_000)}`],
    ['comments', `any where ${'/*'.repeat(4_000)}`],
    ['lists', `any where a in (${'1,'.repeat(4_000)}1)`],
    ['pipes', `any where true ${'| head 1 '.repeat(1_000)}`],
    ['terms', `sequence ${'[a where true]'.repeat(600)}`],
  ])('has a bound: %s', (_, text) => {
    expect(() => parseQuery(text)).toThrow(QueryFault);
  });
});
