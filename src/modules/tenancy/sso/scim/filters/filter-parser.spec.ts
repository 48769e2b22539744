import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ScimFault } from '../protocol/scim-fault.js';
import { demandedBy, elementMatcher, namedValues } from './element-filter.js';
import { COMPARISONS, type Filter } from './filter.js';
import { conditionOf, type FilterAttributes } from './filter-condition.js';
import { MAX_FILTER_DEPTH, MAX_FILTER_LENGTH, MAX_FILTER_TERMS, parseFilter, parsePath } from './filter-parser.js';

const RUNS = { numRuns: 500 };

const path = fc.constantFrom(
  { attribute: 'username', sub: null },
  { attribute: 'name', sub: 'givenname' },
  { attribute: 'emails', sub: 'type' },
);
const value = fc.oneof(
  fc.string({ maxLength: 12, unit: 'grapheme' }).filter((text) => !text.includes('\u0000') && text.isWellFormed()),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.boolean(),
  fc.constant(null),
);

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constant('present' as const), path }),
    fc.record({ kind: fc.constant('compare' as const), path, operator: fc.constantFrom(...COMPARISONS), value }),
    fc.record({ kind: fc.constant('not' as const), part: tie('filter') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('element' as const), attribute: fc.constant('emails'), part: tie('filter') }),
  ),
}));

/** Writes a filter with parentheses around every group. */
function written(node: Filter): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.parts.map((part) => `(${written(part)})`).join(` ${node.kind} `);
    case 'not':
      return `not (${written(node.part)})`;
    case 'element':
      return `${node.attribute}[${written(node.part)}]`;
    case 'present':
      return `${pathOf(node.path)} pr`;
    case 'compare':
      return `${pathOf(node.path)} ${node.operator} ${JSON.stringify(node.value)}`;
  }
}

function pathOf({ attribute, sub }: { attribute: string; sub: string | null }): string {
  return sub === null ? attribute : `${attribute}.${sub}`;
}

describe('A filter', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(filter, (node) => {
        const text = written(node);
        fc.pre(text.length <= MAX_FILTER_LENGTH);
        const parsed = outcomeOf(() => parseFilter(text));
        if (parsed instanceof ScimFault) expect(parsed.message).toMatch(/At most \d+ (levels|comparisons)/);
        else expect(parsed).toEqual(node);
      }),
      RUNS,
    );
  });

  it('is read or refused as invalid, whatever the text', () => {
    const words = fc.constantFrom(
      ...[
        'userName',
        'eq',
        '"a"',
        'and',
        'or',
        'not',
        '(',
        ')',
        '[',
        ']',
        '.',
        ' ',
        'pr',
        '1',
        'true',
        '\\',
        '"',
        'urn:a:b',
      ],
    );
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.array(words, { maxLength: 20 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(text, (given) => {
        for (const read of [parseFilter, parsePath]) {
          const outcome = outcomeOf(() => read(given));
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ScimFault);
        }
      }),
      RUNS,
    );
  });

  it('binds not closer than and, and and closer than or', () => {
    const pr = (attribute: string): Filter => ({ kind: 'present', path: { attribute, sub: null } });
    expect(parseFilter('a pr or b pr and not (c pr) or d pr')).toEqual({
      kind: 'or',
      parts: [pr('a'), { kind: 'and', parts: [pr('b'), { kind: 'not', part: pr('c') }] }, pr('d')],
    });
  });

  it.each([
    ['length', `a eq "${'x'.repeat(MAX_FILTER_LENGTH)}"`],
    ['depth', `${'('.repeat(MAX_FILTER_DEPTH)}a pr${')'.repeat(MAX_FILTER_DEPTH)}`],
    ['number of comparisons', Array.from({ length: MAX_FILTER_TERMS + 1 }, () => 'a pr').join(' or ')],
  ])('is refused beyond its %s', (_, text) => {
    expect(() => parseFilter(text)).toThrow('At most');
  });

  it('becomes SQL whose text has no value of the filter', () => {
    const attributes: FilterAttributes = {
      columns: {
        username: { sql: 'u.name', type: 'text' },
        'name.givenname': { sql: 'u.given', type: 'exact' },
      },
      lists: {
        emails: {
          exists: (condition) => `EXISTS (${condition})`,
          columns: { type: { sql: 'e.type', type: 'text' }, value: { sql: 'e.value', type: 'text' } },
        },
      },
    };
    const allowed =
      /^(?:u\.name|u\.given|e\.type|e\.value|\$\d+::text|EXISTS|NOT|AND|OR|IS|NULL|FALSE|DISTINCT|FROM|lower|strpos|starts_with|right|length|coalesce|nullif|COLLATE|"C"|''|[()=<>, ]|> 0|0)+$/;
    fc.assert(
      fc.property(filter, (node) => {
        const parameters: unknown[] = [];
        const sql = outcomeOf(() => conditionOf(node, attributes, parameters));
        if (sql instanceof Error) expect(sql).toBeInstanceOf(ScimFault);
        else expect(sql).toMatch(allowed);
      }),
      RUNS,
    );
  });
});

describe('A path', () => {
  it.each([
    ['userName', { attribute: 'username', sub: null, filter: null, isExtension: false }],
    ['name.givenName', { attribute: 'name', sub: 'givenname', filter: null, isExtension: false }],
    [
      'urn:ietf:params:scim:schemas:core:2.0:User:name.familyName',
      { attribute: 'name', sub: 'familyname', filter: null, isExtension: false },
    ],
    [
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.displayName',
      {
        attribute: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:manager',
        sub: 'displayname',
        filter: null,
        isExtension: true,
      },
    ],
    [
      'emails[type eq "work"].value',
      {
        attribute: 'emails',
        sub: 'value',
        filter: { kind: 'compare', path: { attribute: 'type', sub: null }, operator: 'eq', value: 'work' },
        isExtension: false,
      },
    ],
  ])('is read from %s', (text, wanted) => {
    expect(parsePath(text)).toEqual(wanted);
  });

  it('compares elements without case, and knows what a filter demands', () => {
    const element = { type: 'Work', value: 'a@b.example', primary: true };
    for (const [text, matches] of [
      ['type eq "WORK"', true],
      ['type ne "work"', false],
      ['value co "B." and primary eq true', true],
      ['value ew "x" or not (display pr)', true],
      ['value gt "b"', false],
      ['primary co "t"', false],
    ] as const)
      expect([text, elementMatcher(parseFilter(text))(element)]).toEqual([text, matches]);
    expect(demandedBy(parseFilter('type eq "work" and primary eq true'))).toEqual({ type: 'work', primary: true });
    expect(demandedBy(parseFilter('type eq "work" or primary eq true'))).toBeNull();
    expect(namedValues(parseFilter('value eq "a" or value eq "b"'))).toEqual(['a', 'b']);
    expect(namedValues(parseFilter('value ne "a"'))).toBeNull();
  });
});

function outcomeOf<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}
