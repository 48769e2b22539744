import { lazyRouteComponent as once } from '@tanstack/react-router';

/** Waits before the further tries to load the script of a page. */
const WAITS_MS = [1_000, 2_000, 4_000];

/**
 * Loads the script of a page when the page is needed. A failed try is repeated, because the router would reload the
 * whole page after it.
 */
export const lazyRouteComponent: typeof once = (load, name) => once(() => patiently(load), name);

async function patiently<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const wait of WAITS_MS) {
    try {
      return await load();
    } catch {
      // The last try reports its error.
      await pauseAndOnline(wait);
    }
  }
  return load();
}

/** Waits that long, and until the browser has a connection. */
async function pauseAndOnline(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  if (!navigator.onLine) await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
}
