import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExact, stringifyExact } from '../../../../platform/json/index.js';
import { fittingProperties } from './fitting-properties.js';

const MOST = 16_384;
const OMITTED = 'properties are too large';
const fit = (properties: object): Record<string, unknown> => fittingProperties({ ...properties }, MOST);

describe('the properties of an alert', () => {
  it('are those of the event when they are small enough', () => {
    const properties = { text: 'x'.repeat(MOST - '{"text":""}'.length) };
    expect(fit(properties)).toEqual(properties);
  });

  it('are kept where they are small, before and after large ones and inside objects', () => {
    const large = { list: Array.from({ length: 5_000 }, (_, at) => at), text: 'x'.repeat(20_000) };
    expect(fit({ large, order: { lines: large.list, id: 'o-1' }, order_id: 7 })).toEqual({
      order_id: 7,
      large: { text: `${'x'.repeat(499)}…`, list: expect.arrayContaining([0, 1, 2]) },
      order: { id: 'o-1', lines: expect.any(Array) },
      omitted: OMITTED,
    });
  });

  it('are kept with all digits of long numbers, also under the name __proto__', () => {
    const json = `{"__proto__":12345678901234567890,"big":"${'x'.repeat(MOST)}"}`;
    const kept = stringifyExact(fittingProperties(parseExact(json) as Record<string, unknown>, MOST));
    expect(kept).toContain('"__proto__":12345678901234567890,');
  });

  it('never exceed the limit, and change nothing that fits', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 20 }),
        fc.integer({ min: 60, max: 300 }),
        (properties, most) => {
          const kept = fittingProperties(properties, most);
          expect(stringifyExact(kept).length).toBeLessThanOrEqual(most);
          if (stringifyExact(properties).length <= most) expect(kept).toBe(properties);
          else expect(kept.omitted).toBe(OMITTED);
        },
      ),
      { numRuns: 100 },
    );
  });
});
