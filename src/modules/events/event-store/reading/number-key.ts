/**
 * Returns SQL for a canonical text of a number that is given by its digits. ClickHouse keeps integers of 64 bits with
 * all digits, and other numbers as doubles.
 */
export function clickHouseNumberKey(digits: string): string {
  // Adding 0 turns the negative zero into zero.
  return `if(isNotNull(toInt64OrNull(${digits})) OR isNotNull(toUInt64OrNull(${digits})), ${digits}, toString(toFloat64OrZero(${digits}) + 0))`;
}
