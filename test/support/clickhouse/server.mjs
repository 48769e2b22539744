// Runs a ClickHouse for the tests on 127.0.0.1. The server ends with the process that started it.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTied } from '../../../dist/src/embedded-postgres/tied-process.js';
import { chdbFolder } from './package.mjs';
import { HANG_TIMEOUT_MS } from '../bounds.mjs';

const SERVE = fileURLToPath(new URL('serve.mjs', import.meta.url));
const POLL_MS = 50;

/**
 * Starts a server that a test can also kill. Rejects with a reason when this machine cannot run it.
 * @param {{ download?: boolean }} options `download`: whether to download the engine when the cache does not have it
 */
export async function startClickHouse({ download = true } = {}) {
  const folder = await chdbFolder({ download });
  const home = await mkdtemp(join(tmpdir(), `oes-clickhouse-${process.pid}-`));
  const access = { user: 'tester', password: 'the-password-of-the-tests' };
  const { url, ...first } = await launch(folder, home, '0', access);
  let { server } = first;
  return {
    url,
    ...access,
    async stop() {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
    async kill9() {
      if (!server.hasExited()) process.kill(server.pid, 'SIGKILL');
      await server.wait();
    },
    async restart() {
      await server.stop();
      // Removes files of requests of the previous process, which nobody needs.
      for (const name of await readdir(home)) if (/^(?:address|rows-)/.test(name)) await rm(join(home, name));
      ({ server } = await launch(folder, home, new URL(url).port, access));
    },
  };
}

async function launch(folder, home, port, { user, password }) {
  const server = await startTied({
    command: [process.execPath, SERVE, folder, home, port, user, password],
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    logFile: join(home, 'clickhouse.log'),
  });
  return { server, url: await addressOf(home, server) };
}

async function addressOf(home, server) {
  for (let waited = 0; waited < HANG_TIMEOUT_MS && !server.hasExited(); waited += POLL_MS) {
    const address = await readFile(join(home, 'address'), 'utf8').catch(() => null);
    if (address !== null) return address;
    await delay(POLL_MS);
  }
  const log = await readFile(join(home, 'clickhouse.log'), 'utf8').catch(() => '');
  throw new Error(`ClickHouse did not start: ${log.trim().split('\n').at(-1) ?? ''}`);
}
