// The caches that the parts of "npm run check" keep between runs.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../node_modules/.cache/check', import.meta.url));

/** @returns {string | null} null under CI=true, where everything is checked again, and where this user cannot write */
export function cachePath(name) {
  if (process.env.CI === 'true') return null;
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return join(folder, name);
  } catch {
    return null;
  }
}
