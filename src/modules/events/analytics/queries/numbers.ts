/** Returns the value, with infinities replaced by the largest finite doubles, because JSON has no infinity. */
export function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
