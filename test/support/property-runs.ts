/**
 * How many cases a property is tried with: at most `usual` in `npm test`, and `deep` in `npm run test:deep -- properties`.
 * `PROPERTY_RUNS=<number>` sets another number. A property whose cases are requests or statements takes fewer usual runs.
 */
export function propertyRuns(deep: number, usual = 100): number {
  const { PROPERTY_RUNS: asked } = process.env;
  if (asked === 'deep') return deep;
  return asked ? Number(asked) : Math.min(deep, usual);
}
