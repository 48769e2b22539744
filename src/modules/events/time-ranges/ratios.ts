/** Returns (now - before) / before, or null when `before` is 0 or either value is null. */
export function changeOf(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : (now - before) / before;
}

/** Returns part / whole, or 0 when the whole is 0. */
export function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
