import { type Assessment, assessed, distance, type Raised } from './assessment.js';

const EXPLOSION = { found: 5, values: 50, normal: 2, least: 20 } as const;

/**
 * Detects `cardinality_explosion`: many more distinct values in the last hour than in any hour of a week.
 * @param most the most distinct values in one of the hours before; null when there is no such hour
 */
export function assessDistinctValues(values: number, most: number | null, raised: Raised): Assessment {
  const usual = most ?? 0;
  const base = {
    severity: 'warning',
    score: values <= usual ? 0 : distance(values, usual),
    actual: values,
    expected: usual,
    lower: 0,
    upper: Math.max(EXPLOSION.least, usual * EXPLOSION.normal),
  } as const;
  if (most === null || values < EXPLOSION.least * raised || values < EXPLOSION.normal * raised * usual) {
    return assessed('normal', base);
  }
  const isFound = values >= EXPLOSION.found * raised * usual && values >= EXPLOSION.values * raised;
  return assessed(isFound ? 'told' : 'unusual', base);
}
