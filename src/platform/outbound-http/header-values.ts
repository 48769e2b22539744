/**
 * Returns whether the text is allowed as the value of a header. Only characters that all servers read in the same way
 * are accepted. A line break, for example, would start another header.
 */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}
