export interface Allowance {
  readonly used: number;
  /** Null: unlimited. 0: nothing is allowed. */
  readonly limit: number | null;
}

/** Of a positive, finite limit at least 80 % are used, and not all of it (SERVICE 2.4). In whole numbers, so that 80 % is exact. */
export function isNearLimit({ used, limit }: Allowance): boolean {
  return limit !== null && limit > 0 && used * 5 >= limit * 4 && used < limit;
}

export function remainingOf({ used, limit }: Allowance): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}
