/** Makes sure that tools/node_modules has what tools/package-lock.json says. Rejects with one sentence when it cannot. */
export function ensureTools(): Promise<void>;

/** Returns the path of a file of a package of tools/. */
export function toolPath(file: string): string;
