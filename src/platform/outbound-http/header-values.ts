/**
 * Whether a header may have this value. Only characters that all servers read the same way are accepted. A line break
 * would start another header.
 */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}
