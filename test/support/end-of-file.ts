/** Functions that run after the tests of a spec file, in reverse order. `after-file.ts` calls them. */
export const endOfFile: (() => Promise<unknown>)[] = [];
