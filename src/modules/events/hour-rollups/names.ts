/** Longer endpoints, and methods, are not kept whole; nor can they be asked for by name. */
export const MOST_NAME_CHARACTERS = 2_000;
