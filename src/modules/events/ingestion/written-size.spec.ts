import { describe, expect, it } from '@jest/globals';
import { checkWrittenSize, writtenSize } from './written-size.js';

describe('the written size of properties', () => {
  it.each([
    ['{}', 2],
    ['{"a":1,"b":[true,false,null]}', '{"a": 1, "b": [true, false, null]}'.length],
    ['{"a,:e":"1e5, \\" : \\\\"}', '{"a,:e": "1e5, \\" : \\\\"}'.length],
    ['{"a":1e+21}', '{"a": 1000000000000000000000}'.length],
    ['[-1.25e+22,1e+308]', `[-125${'0'.repeat(20)}, 1${'0'.repeat(308)}]`.length],
    ['[1e-7,-1.5e-7]', '[0.0000001, -0.00000015]'.length],
    ['"値😀"', 9],
  ])('is for %s the size of the text that PostgreSQL returns: %d', (json, size) => {
    expect(writtenSize(json)).toBe(size);
  });

  it('is refused beyond a bound without repeating anything', () => {
    expect(() => checkWrittenSize(10, 10)).not.toThrow();
    let refused: unknown;
    try {
      checkWrittenSize(11, 10);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ issues: [{ type: 'value_error', loc: ['body'], input: null }] });
  });
});
