/** Digits of a number that is told by its digits: the same for the same double. */
export function copiedNumberKey(digits: string): string {
  // What is added makes the negative zero one.
  return `toString(toFloat64OrZero(${digits}) + 0)`;
}
