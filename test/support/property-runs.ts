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
