/** What an address may carry, as a page takes it: one of these words, or nothing. */
export function oneOf<Word extends string>(words: readonly Word[], given: unknown): Word | undefined {
  return words.find((word) => word === given);
}

export function textOf(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Of a list in pages, from the second one on. */
export function pageOf(given: unknown): string | undefined {
  return typeof given === 'string' && /^[1-9]\d{0,4}$/.test(given) && given !== '1' ? given : undefined;
}
