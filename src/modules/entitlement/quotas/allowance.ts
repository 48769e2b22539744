export interface Allowance {
  readonly used: number;
  /** Null means unlimited. 0 allows nothing. */
  readonly limit: number | null;
}

/**
 * Returns whether at least 80 % of a positive, finite limit are used, but not the whole limit. The comparison uses
 * whole numbers, so that 80 % is exact.
 */
export function isNearLimit({ used, limit }: Allowance): boolean {
  return limit !== null && limit > 0 && used * 5 >= limit * 4 && used < limit;
}

export function remainingOf({ used, limit }: Allowance): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}
