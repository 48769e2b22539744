// A ClickHouse of the tests' own on 127.0.0.1, gone when the process that started it is gone.
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTied } from '../../../dist/src/embedded-postgres/tied-process.js';
import { chdbFolder } from './package.mjs';

const SERVE = fileURLToPath(new URL('serve.mjs', import.meta.url));
const READY_WITHIN_MS = 60_000;
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
        startClickHouse(stops).catch((error) => ({ absent: error.message })),
      );
    }
    void settings.get(url).then((answer) => response.end(JSON.stringify(answer)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  stops.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return `http://127.0.0.1:${server.address().port}`;
}

let folderOfPackage;

async function startClickHouse(stops) {
  const folder = await (folderOfPackage ??= chdbFolder());
  const home = await mkdtemp(join(tmpdir(), `oes-clickhouse-${process.pid}-`));
  stops.push(() => rm(home, { recursive: true, force: true }));
  const access = { user: 'tester', password: 'the-password-of-the-tests' };
  const server = await startTied({
    command: [process.execPath, SERVE, folder, home, '0', access.user, access.password],
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    logFile: join(home, 'clickhouse.log'),
  });
  stops.push(() => server.stop());
  return { url: await addressOf(home, server), ...access };
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
