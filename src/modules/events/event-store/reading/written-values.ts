const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DIGITS = 32;

/**
 * Returns ids for the right side of IN in ClickHouse. They are written into the statement, because so many do not fit
 * into the URL of a request.
 */
export function writtenIds(ids: readonly string[]): string {
  for (const id of ids) if (!ID.test(id)) throw new Error('These are no ids');
  const digits = ids.join('').replaceAll('-', '');
  return `(SELECT toUUID(substring('${digits}', number * ${DIGITS} + 1, ${DIGITS})) FROM numbers(${ids.length}))`;
}

/** Returns integers as one constant array in ClickHouse. */
export function writtenNumbers(numbers: readonly number[]): string {
  for (const number of numbers) if (!Number.isSafeInteger(number)) throw new Error('These are no whole numbers');
  return `CAST('[${numbers.join(',')}]', 'Array(Int64)')`;
}
