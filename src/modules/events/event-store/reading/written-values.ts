const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DIGITS = 32;

/** Ids as what stands behind IN in ClickHouse: written into the statement, since so many have no room in an address. */
export function writtenIds(ids: readonly string[]): string {
  for (const id of ids) if (!ID.test(id)) throw new Error('These are no ids');
  const digits = ids.join('').replaceAll('-', '');
  return `(SELECT toUUID(substring('${digits}', number * ${DIGITS} + 1, ${DIGITS})) FROM numbers(${ids.length}))`;
}

/** Whole numbers as a constant array in ClickHouse: one text, however many they are. */
export function writtenNumbers(numbers: readonly number[]): string {
  for (const number of numbers) if (!Number.isSafeInteger(number)) throw new Error('These are no whole numbers');
  return `CAST('[${numbers.join(',')}]', 'Array(Int64)')`;
}
