// Unpacks Debian's OpenStack Swift into the cache of the user who runs the tests, without installing anything.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's modules need Debian's own Python, even if another one is first on PATH. */
export const PYTHON = '/usr/bin/python3';
const WANTED = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];
/** Dependencies of an installation that the servers do not need. */
const UNUSED = /^(?:rsync|rsyslog|logrotate|uwsgi-.*|openstack-pkg-tools|po-debconf|intltool-debian|ieee-data)$/;

/**
 * @returns the folder that serves as the root of a system with Swift; it is downloaded the first time
 * @throws Error whose message says why there is none
 */
export async function swiftRoot({ download = true } = {}) {
  for (const program of [PYTHON, '/usr/bin/apt-get', '/usr/bin/dpkg']) {
    if (!existsSync(program)) throw new Error(`${program} is not there, by which Debian's Swift comes`);
  }
  const { stdout } = await run(PYTHON, ['-c', 'import platform; print(platform.python_version())']);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'operational-event-service');
  const root = join(cache, `swift-python-${stdout.trim()}`);
  if (!existsSync(root)) {
    if (!download) throw new Error(`OpenStack Swift is not in ${cache}: "npm run test:deep -- storage" downloads it`);
    process.stderr.write('Downloading OpenStack Swift (about 15 MB of Debian packages) for the tests of S3 ...\n');
    await unpack(cache, root);
  }
  return root;
}

async function unpack(cache, root) {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    const packages = join(draft, 'packages');
    await mkdir(packages);
    await download(packages).catch(async (error) => {
      if (process.getuid?.() !== 0) throw error;
      await aptGet(['update'], packages);
      await download(packages);
    });
    for (const name of await readdir(packages)) await run('dpkg', ['-x', join(packages, name), join(draft, 'root')]);
    await rename(join(draft, 'root'), root).catch((error) => {
      // Another run was faster.
      if (!existsSync(root)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Downloads the packages that an installation would add to this system. */
async function download(folder) {
  const plan = await aptGet(['--simulate', '--no-install-recommends', 'install', ...WANTED], folder);
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name).filter((name) => !UNUSED.test(name));
  await aptGet(['download', ...(names.length > 0 ? names : WANTED)], folder);
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
