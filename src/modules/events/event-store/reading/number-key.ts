/**
 * Digits of a number that is told by its digits: the same for the same number. ClickHouse holds whole numbers of 64 bits with all
 * their digits, and all others as doubles.
 */
export function copiedNumberKey(digits: string): string {
  // What is added makes the negative zero one.
  return `if(isNotNull(toInt64OrNull(${digits})) OR isNotNull(toUInt64OrNull(${digits})), ${digits}, toString(toFloat64OrZero(${digits}) + 0))`;
}
