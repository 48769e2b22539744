import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** An installed package that files of a page come from. */
export interface InstalledPackage {
  readonly version: string;
  read(file: string): Promise<Buffer>;
}

/** @throws when it is not installed */
export function installedPackage(name: string): InstalledPackage {
  const manifest = require.resolve(`${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { version, read: (file) => readFile(join(dirname(manifest), file)) };
}
