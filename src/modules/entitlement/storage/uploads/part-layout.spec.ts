import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LARGEST_PART, layOut, partAt, SMALLEST_PART, USUAL_PART } from './part-layout.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const GIB = 1024 ** 3;

describe('the part layout of an upload', () => {
  it.each([
    [1, USUAL_PART, USUAL_PART, 1],
    [USUAL_PART, USUAL_PART, USUAL_PART, 1],
    [USUAL_PART + 1, USUAL_PART, USUAL_PART, 2],
    [1000 * USUAL_PART, USUAL_PART, USUAL_PART, 1000],
    [1000 * USUAL_PART + 1, USUAL_PART, USUAL_PART + 1024 ** 2, 889],
    [5 * 1024 * GIB, USUAL_PART, 5243 * 1024 ** 2, 1000],
  ])(
    'divides %d bytes with the requested part size %d into parts of %d bytes: %d parts',
    (size, wanted, partSize, partCount) => {
      expect(layOut(size, wanted)).toEqual({ size, partSize, partCount });
    },
  );

  it('covers the whole content without gaps, in at most 1,000 parts', () => {
    const sizes = fc.integer({ min: 1, max: 5 * 1024 * GIB });
    fc.assert(
      fc.property(sizes, fc.integer({ min: SMALLEST_PART, max: LARGEST_PART }), (size, wanted) => {
        const layout = layOut(size, wanted);
        expect(layout.partCount).toBeLessThanOrEqual(1000);
        expect(layout.partSize).toBeGreaterThanOrEqual(wanted);
        let end = 0;
        for (let number = 1; number <= layout.partCount; number += 1) {
          const part = partAt(layout, number);
          expect(part).toMatchObject({ number, offset: end });
          end += part?.size ?? 0;
        }
        expect(end).toBe(size);
        expect([partAt(layout, 0), partAt(layout, layout.partCount + 1), partAt(layout, 1.5)]).toEqual([
          null,
          null,
          null,
        ]);
      }),
      { numRuns: propertyRuns(50, 15) },
    );
  });
});
