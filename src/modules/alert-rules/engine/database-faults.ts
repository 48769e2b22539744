/** Classes of PostgreSQL errors that say nothing about the data: connections, conflicts, resources, shutdowns. */
const PASSING = /^(08|40|53|55|57|58)/;

/** Whether the same work may well succeed later; otherwise it fails for what it works on. */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return false;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || PASSING.test(code);
}
