// ClickHouse in chDB's build for Node. It is stored in the cache of the user who runs the tests, because it is not a
// dependency of the service.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '3.4.0';
/** The platforms for which chDB is built. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Workers can call this at the same time; only one of them downloads. */
let installing;

/**
 * @param {{ download?: boolean }} options `download`: whether to fill the cache (546 MB) when it is empty
 * @returns {Promise<string>} the folder with its node_modules
 * @throws Error whose message says why there is no engine
 */
export async function chdbFolder({ download = true } = {}) {
  if (process.env.TEST_CLICKHOUSE === 'off') throw new Error('TEST_CLICKHOUSE=off turns the tests on ClickHouse off');
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform))
    throw new Error(`chDB is not built for ${platform}, but for ${PLATFORMS.join(', ')}`);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'operational-event-service');
  const folder = join(cache, `chdb-${VERSION}-${platform}`);
  if (existsSync(folder)) return folder;
  if (!download)
    throw new Error(`ClickHouse's engine is not in ${cache}: "npm run test:deep -- clickhouse" downloads it`);
  installing ??= install(cache, folder);
  await installing;
  return folder;
}

async function install(cache, folder) {
  process.stderr.write(
    `Downloading ClickHouse's engine (chDB ${VERSION}, 546 MB) into ${cache} ... TEST_CLICKHOUSE=off turns this off.\n`,
  );
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    await writeFile(join(draft, 'package.json'), '{"private": true}\n');
    await npmInstall(draft);
    await rename(draft, folder).catch((error) => {
      // Another run was faster.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function npmInstall(folder) {
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `chdb@${VERSION}`];
  try {
    await run('npm', words, { cwd: folder, maxBuffer: 16 * 1_024 * 1_024 });
  } catch (error) {
    const said = `${error.stderr ?? ''}`.split('\n').find((line) => line.startsWith('npm error '));
    throw new Error(`npm install chdb@${VERSION} failed${said === undefined ? '' : ` (${said.slice(10)})`}`);
  }
}
