/** Returns the value, limited to the finite doubles: JSON has no infinity. */
export function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
