// A ClickHouse of the tests' own on 127.0.0.1, gone when the process that started it is gone.
import { createServer } from 'node:http';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTied } from '../../../dist/src/embedded-postgres/tied-process.js';
import { chdbFolder } from './package.mjs';

const SERVE = fileURLToPath(new URL('serve.mjs', import.meta.url));
const READY_WITHIN_MS = 120_000;
const POLL_MS = 50;

/**
 * Tells at an address whoever asks where their ClickHouse is, which the first to ask under a path starts: each takes few statements
 * at a time, so tests that run side by side have one each.
 * @param stops gets what has to be stopped
 */
export async function offerClickHouse(stops) {
  const settings = new Map();
  const server = createServer(({ url }, response) => {
    if (!settings.has(url)) {
      settings.set(
        url,
        startOne(stops).catch((error) => ({ absent: error.message })),
      );
    }
    void settings.get(url).then((answer) => response.end(JSON.stringify(answer)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  stops.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return `http://127.0.0.1:${server.address().port}`;
}

async function startOne(stops) {
  const { url, user, password, stop } = await startClickHouse();
  stops.push(stop);
  return { url, user, password };
}

let folderOfPackage;

/** One that can be killed, too. Rejects with a reason where there is none for this machine. */
export async function startClickHouse() {
  const folder = await (folderOfPackage ??= chdbFolder());
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
      // What the one before has left there of requests is nobody's.
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
  for (let waited = 0; waited < READY_WITHIN_MS && !server.hasExited(); waited += POLL_MS) {
    const address = await readFile(join(home, 'address'), 'utf8').catch(() => null);
    if (address !== null) return address;
    await delay(POLL_MS);
  }
  const log = await readFile(join(home, 'clickhouse.log'), 'utf8').catch(() => '');
  throw new Error(`ClickHouse did not start: ${log.trim().split('\n').at(-1) ?? ''}`);
}
