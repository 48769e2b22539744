/** (now - before) / before; null where before is 0 or null, or now is. */
export function changeOf(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : (now - before) / before;
}

/** 0 of nothing. */
export function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
