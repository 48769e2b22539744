import fc, { type Arbitrary } from 'fast-check';

/**
 * Returns the number of cases for a property: at most `usual` in `npm test`, and `deep` in
 * `npm run test:deep -- properties`. `PROPERTY_RUNS=<number>` overrides it. A property whose cases are requests or
 * statements has a smaller `usual`.
 */
export function propertyRuns(deep: number, usual = 100): number {
  const { PROPERTY_RUNS: asked } = process.env;
  if (asked === 'deep') return deep;
  return asked ? Number(asked) : Math.min(deep, usual);
}

const [FIRST_SURROGATE, SURROGATES, LAST] = [0xd800, 0x800, 0x10ffff];

/** One code point other than the surrogates. */
const CODE_POINT = fc.integer({ min: 0, max: LAST - SURROGATES }).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('no single code point');
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);

/**
 * Generates text of any code points, like `fc.string({ unit: 'binary' })`, which would make a table of all code points in
 * each spec file: more than a second of processor time.
 */
export function anyText(lengths: { readonly minLength?: number; readonly maxLength?: number } = {}): Arbitrary<string> {
  return fc.string({ ...lengths, unit: CODE_POINT });
}
