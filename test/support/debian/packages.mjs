// Unpacks packages of Debian into the cache of the user who runs the tests, without installing anything.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAMS = ['/usr/bin/apt-get', '/usr/bin/dpkg'];

/**
 * @typedef {object} Unpacked
 * @property {string} title the name of the program, for messages
 * @property {string} folder the name of the folder in the cache; it changes with what the packages depend on
 * @property {readonly string[]} packages
 * @property {RegExp} [unused] dependencies of an installation that the tests do not need
 * @property {string} area the deep area that downloads the packages
 */

/**
 * @param {Unpacked} wanted
 * @param {{ download?: boolean }} options `download`: whether to download the packages when the cache does not have them
 * @returns {Promise<string>} the folder that serves as the root of a system with the packages
 * @throws {Error} whose message says why there is none
 */
export async function debianRoot({ title, folder, packages, unused, area }, { download = true } = {}) {
  for (const program of PROGRAMS) {
    if (!existsSync(program)) throw new Error(`${title} comes from Debian's packages, and ${program} is missing`);
  }
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'operational-event-service');
  const root = join(cache, folder);
  if (!existsSync(root)) {
    if (!download) throw new Error(`${title} is not in ${cache}: "npm run test:deep -- ${area}" downloads it`);
    process.stderr.write(`Downloading ${title} from Debian's packages for the tests ...\n`);
    await unpack({ cache, root, packages, unused });
  }
  return root;
}

/** Returns the folders of a root in which the loader finds the libraries of its packages. */
export function libraryFolders(root) {
  const machine = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
  return [join(root, 'usr/lib', machine), join(root, 'lib', machine)];
}

async function unpack({ cache, root, packages, unused }) {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    const archives = join(draft, 'packages');
    await mkdir(archives);
    await fetchArchives(archives, packages, unused).catch(async (error) => {
      if (process.getuid?.() !== 0) throw error;
      await aptGet(['update'], archives);
      await fetchArchives(archives, packages, unused);
    });
    for (const name of await readdir(archives)) await run('dpkg', ['-x', join(archives, name), join(draft, 'root')]);
    await rename(join(draft, 'root'), root).catch((error) => {
      // Another run was faster.
      if (!existsSync(root)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Downloads the packages that an installation would add to this system, and the wanted ones in any case. */
async function fetchArchives(folder, packages, unused) {
  const plan = await aptGet(['--simulate', '--no-install-recommends', 'install', ...packages], folder);
  const added = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name).filter((name) => !unused?.test(name));
  await aptGet(['download', ...new Set([...packages, ...added])], folder);
}

async function aptGet(words, folder) {
  try {
    const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
    const { stdout } = await run('apt-get', ['-q', ...words], { cwd: folder, env, maxBuffer: 16 * 1_024 * 1_024 });
    return stdout;
  } catch (error) {
    const said = `${error.stderr ?? ''}`.split('\n').find((line) => line.startsWith('E: '));
    throw new Error(`apt-get ${words[0]} failed${said === undefined ? '' : ` (${said.slice(3)})`}`);
  }
}
