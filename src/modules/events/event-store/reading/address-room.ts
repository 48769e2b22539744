/**
 * The budget for values in the URL of a request to ClickHouse, in characters. It is a fourth of what a server accepts,
 * with room for a number per value.
 */
const MOST_ADDRESS_CHARACTERS = 30_000;
const CHARACTERS_BESIDE_A_KEY = 10;
/** More keys than this never fit into a URL. */
export const MOST_ADDRESS_KEYS = MOST_ADDRESS_CHARACTERS / CHARACTERS_BESIDE_A_KEY;

/** True when the keys fit into the URL of a request, each with a number. */
export function fitIntoAddress(keys: readonly string[]): boolean {
  let left = MOST_ADDRESS_CHARACTERS;
  for (const key of keys) left -= encodeURIComponent(key).length + CHARACTERS_BESIDE_A_KEY;
  return left >= 0;
}
