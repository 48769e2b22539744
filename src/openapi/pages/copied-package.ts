import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buildOutput } from '../../platform/build-output/index.js';

/** The build copies the files of packages here (`scripts/pages.mjs`). */
const FOLDER = buildOutput('pages');

/** A package whose files a page needs. */
export interface CopiedPackage {
  readonly version: string;
  read(file: string): Promise<Buffer>;
}

/** Returns null when another tool than `npm run build` built the service: it copied no package. */
export function copiedPackage(name: string): CopiedPackage | null {
  const folder = new URL(`${name}/`, FOLDER);
  const manifest = new URL('package.json', folder);
  if (!existsSync(manifest)) return null;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { version, read: (file) => readFile(new URL(file, folder)) };
}
