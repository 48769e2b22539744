/** Prints one thing about a failed test, before its `afterEach` runs. */
type Tell = () => Promise<void>;

const told = new Set<Tell>();

/**
 * Prints more about each failed test of this file, such as the content of a page.
 * @returns a function that ends it
 */
export function onFailedTest(tell: Tell): () => void {
  told.add(tell);
  // The environment of the tests calls this function (test-environment.cjs).
  Object.assign(globalThis, {
    tellOfFailedTest: async () => {
      for (const one of told) await one().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    },
  });
  return () => void told.delete(tell);
}
