import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { any, failed } from '../../../platform/http/validation/index.js';
import { cutBytes, cutText, fitJson } from './fit-json.js';
import { anyText } from '../../../../test/support/property-runs.js';

const RUNS = { numRuns: 100 };
const text = anyText({ maxLength: 60 });
const codePoints = (value: string): number => [...value].length;

describe('a text that is cut', () => {
  it('keeps its beginning and at most as many code points as the limit, and ends with an ellipsis', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (value, max) => {
        const cut = cutText(value, max);
        if (codePoints(value) <= max) expect(cut).toBe(value);
        else {
          expect(codePoints(cut)).toBe(max);
          expect(cut.endsWith('…')).toBe(true);
          expect(value.startsWith(cut.slice(0, -1))).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('takes at most as many bytes as the limit, and is never cut inside of a character', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 60 }), (value, max) => {
        const cut = cutBytes(value, max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        if (cut !== value) expect(value.startsWith(cut.slice(0, -1))).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('a JSON value that is fitted', () => {
  const read = any().build(() => () => ({}));

  it('is one that the service stores, and is the same value when it was one before', () => {
    const value = fc.anything({
      values: [
        fc.string({ unit: fc.constantFrom('a', '\u0000', '\ud800', '\udc00', '😀') }),
        fc.double(),
        fc.boolean(),
      ],
      key: fc.constantFrom('a', '__proto__', '\u0000', '\udfff'),
      maxDepth: 4,
    });
    fc.assert(
      fc.property(value, (given) => {
        expect(failed(read(fitJson(given, 1), 1))).toBe(false);
        if (!failed(read(given, 1))) expect(fitJson(given, 1)).toBe(given);
      }),
      RUNS,
    );
  });

  it('has an ellipsis in place of what is nested deeper than 64 levels', () => {
    const nested = (levels: number, core: unknown): unknown => (levels === 0 ? core : [nested(levels - 1, core)]);
    expect(fitJson(nested(64, 1), 1)).toEqual(nested(64, 1));
    expect(fitJson(nested(100, 1), 1)).toEqual(nested(64, '…'));
  });
});
