import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';
import { findJsonFault } from './json-fault.js';
import { anyText, propertyRuns } from '../../../../test/support/property-runs.js';

function fault(bytes: string | Buffer): [unknown, unknown] | null {
  const result = parseJsonBody(Buffer.from(bytes as string));
  return 'issues' in result ? [result.issues[0]?.loc[1], result.issues[0]?.ctx?.['error']] : null;
}

const VALUE = 'Expecting value';
const NAME = 'Expecting property name enclosed in double quotes';
const COMMA = "Expecting ',' delimiter";

describe('parsing a JSON body', () => {
  it('tells no bytes from a null', () => {
    expect(parseJsonBody(Buffer.alloc(0))).toEqual({ value: undefined });
    expect(parseJsonBody(Buffer.from('null'))).toEqual({ value: null });
  });

  it('tolerates one byte order mark', () => {
    expect(parseJsonBody(Buffer.from('\ufeff{"a":1}'))).toEqual({ value: { a: 1 } });
    expect(fault('\ufeff\ufeff1')).toEqual([0, VALUE]);
    expect(fault('\ufeffx')).toEqual([0, VALUE]);
  });

  it.each<[string, number, string]>([
    [' ', 1, VALUE],
    ['{', 1, NAME],
    ['{"a"', 4, "Expecting ':' delimiter"],
    ['{"a":', 5, VALUE],
    ['{"a":1', 6, COMMA],
    ['{"a":1,}', 7, NAME],
    ['{a:1}', 1, NAME],
    ['[1,]', 3, VALUE],
    ['[1 2]', 3, COMMA],
    ['nul', 0, VALUE],
    ['01', 1, 'Extra data'],
    ['1.', 1, 'Extra data'],
    ['-', 0, VALUE],
    ['1 2', 2, 'Extra data'],
    ['[1]]', 3, 'Extra data'],
    ['"a', 0, 'Unterminated string starting at'],
    ['"\\', 0, 'Unterminated string starting at'],
    ['"\\x"', 1, 'Invalid \\escape'],
    ['"\\u12g4"', 2, 'Invalid \\uXXXX escape'],
    ['"\n"', 1, 'Invalid control character at'],
    ['["😀", x]', 6, VALUE],
    ['{"a":[1,2}', 9, COMMA],
    ['[}', 1, VALUE],
    ['NaN', 0, VALUE],
    ['[Infinity]', 1, VALUE],
    ['[-Infinity]', 1, VALUE],
  ])('finds the fault of %p', (text, position, error) => {
    expect(fault(text)).toEqual([position, error]);
  });

  it.each([
    [[0x22, 0xff, 0x22], 1],
    [[0x80], 0],
    [[0x22, 0xc3], 1],
    [[0xc0, 0x80], 0],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    [[0xf0, 0x9f, 0x98, 0x80, 0xf5], 4],
  ])('finds the byte that is not UTF-8 in %p', (bytes, position) => {
    expect(fault(Buffer.from(bytes))).toEqual([position, 'Invalid UTF-8']);
  });

  it('finds a fault far into a long body', () => {
    expect(fault(Buffer.concat([Buffer.from(`"${'é'.repeat(50_000)}`), Buffer.from([0xe2, 0x82, 0x41])]))).toEqual([
      100_001,
      'Invalid UTF-8',
    ]);
  });

  const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
  const TOO_DEEP = 'Nested deeper than 1000 levels';

  it('takes a thousand levels and parses no more, whatever they are of', () => {
    expect(fault(nested(1_000))).toBeNull();
    expect(fault(nested(1_001))).toEqual([1_000, TOO_DEEP]);
    expect(fault('{"a":'.repeat(1_001))).toEqual([5_000, TOO_DEEP]);
    expect(fault('[{"a":'.repeat(501))).toEqual([3_000, TOO_DEEP]);
    expect(fault(`\ufeff["é😀",${nested(1_000)}]`)).toEqual([6 + 999, TOO_DEEP]);
  });

  it('counts levels, not brackets: those of strings and of neighbours are none', () => {
    expect(fault(`[${Array(2_000).fill('[{}]').join(',')}]`)).toBeNull();
    expect(fault(JSON.stringify(['['.repeat(5_000), '\\"[{'.repeat(2_000), '\\']))).toBeNull();
    expect(fault(`{"${'['.repeat(3_000)}":1}`)).toBeNull();
  });

  it('finds the depth that the parsed value has', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member)))
        : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 985, max: 1_000 }), (value, around) => {
        const found = fault(nested(around, JSON.stringify(value)));
        expect(found === null).toBe(around + depthOf(value) <= 1_000);
      }),
    );
  });

  it('never repeats the text it refuses', () => {
    expect(JSON.stringify(parseJsonBody(Buffer.from('{"password": hunter2}')))).not.toContain('hunter2');
  });

  it('finds the fault of a text of 100,000 levels without a level of its own for each', () => {
    const deep = `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`;
    expect(findJsonFault(deep)).toBeNull();
    expect(findJsonFault(`${deep}]`)).toEqual({ position: deep.length, error: 'Extra data' });
    expect(findJsonFault(deep.slice(0, -1))).toEqual({ position: deep.length - 1, error: COMMA });
  });

  it('agrees with JSON.parse on what is JSON', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom(...'{}[]:,"\\u0eE.-tfn \n', ''))
      .map(([json, at, cut, insert]) => {
        const from = at % (json.length + 1);
        return json.slice(0, from) + insert + json.slice(from + cut);
      });
    fc.assert(
      fc.property(broken, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(findJsonFault(text) === null).toBe(valid);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('finds the first byte that is not UTF-8, whatever the bytes', () => {
    fc.assert(
      fc.property(anyText(), fc.uint8Array({ maxLength: 6 }), (text, tail) => {
        const bytes = Buffer.concat([Buffer.from(text), tail]);
        const found = fault(bytes);
        if (found?.[1] !== 'Invalid UTF-8') return;
        const position = found[0] as number;
        expect(isUtf8(bytes.subarray(0, position))).toBe(true);
        for (let end = position + 1; end <= Math.min(position + 4, bytes.length); end++) {
          expect(isUtf8(bytes.subarray(position, end))).toBe(false);
        }
      }),
    );
  });
});
