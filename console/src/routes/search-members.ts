/** Returns a search parameter if it is one of these words, otherwise undefined. */
export function oneOf<Word extends string>(words: readonly Word[], given: unknown): Word | undefined {
  return words.find((word) => word === given);
}

export function textOf(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Returns a page number from the second page on. Undefined: the first page. */
export function pageOf(given: unknown): string | undefined {
  return typeof given === 'string' && /^[1-9]\d{0,4}$/.test(given) && given !== '1' ? given : undefined;
}
