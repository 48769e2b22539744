/** What runs when the tests of a spec file are over, the last one first; see `after-file.ts`. */
export const endOfFile: (() => Promise<unknown>)[] = [];
