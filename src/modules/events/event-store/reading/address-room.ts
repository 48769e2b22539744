/** Of values that go into the address of a request with the statement: a fourth of what a server takes there of one, with room for a number beside each. */
const MOST_ADDRESS_CHARACTERS = 30_000;
const CHARACTERS_BESIDE_A_KEY = 10;
/** More keys have no room in an address. */
export const MOST_ADDRESS_KEYS = MOST_ADDRESS_CHARACTERS / CHARACTERS_BESIDE_A_KEY;

/** Whether keys have room in the address of a request, each with a number or so. */
export function fitIntoAddress(keys: readonly string[]): boolean {
  let left = MOST_ADDRESS_CHARACTERS;
  for (const key of keys) left -= encodeURIComponent(key).length + CHARACTERS_BESIDE_A_KEY;
  return left >= 0;
}
