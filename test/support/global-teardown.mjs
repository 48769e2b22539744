/** Stops what the global setup started, in the same process. */
export default async function globalTeardown() {
  await globalThis.stopTestServers?.();
}
