// Runs a redis-server for the tests on 127.0.0.1, which ends with the process that started it. Its data survives its
// end only with `durable`.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram, REDIS } from './programs/find.mjs';
import { startTied } from '../../dist/src/embedded-postgres/tied-process.js';

/** One database for each Jest worker. */
const DATABASES = 256;

export async function startRedisServer({ durable = false, install = true } = {}) {
  const program = await findProgram(REDIS, { install });
  const folder = await mkdtemp(join(tmpdir(), `oes-redis-${process.pid}-`));
  const port = await freePort();
  let server = await launch(program, folder, port, durable);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid;
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
    async kill9() {
      if (!server.hasExited()) process.kill(server.pid, 'SIGKILL');
      await server.wait();
    },
    async restart() {
      await server.stop();
      server = await launch(program, folder, port, durable);
    },
  };
}

async function launch(program, folder, port, durable) {
  const logFile = join(folder, 'redis.log');
  const server = await startTied({
    command: [
      program,
      '--bind',
      '127.0.0.1',
      '--port',
      String(port),
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      durable ? 'yes' : 'no',
      '--appendfsync',
      'always',
      '--daemonize',
      'no',
      '--databases',
      String(DATABASES),
    ],
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH ?? '', LC_ALL: 'C' },
    logFile,
  });
  while (!server.hasExited()) {
    if (await answers(port)) return server;
    await Promise.race([server.exited, delay(20)]);
  }
  const output = await readFile(logFile, 'utf8').catch(() => '');
  throw new Error(`redis-server did not start: ${output.trim().split('\n').at(-1) ?? ''}`);
}

async function answers(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [reply] = await once(socket, 'data');
    return String(reply).startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
