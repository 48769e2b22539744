import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnvironment, identityOf, spawnRefused } from './account.js';
import type { Binaries } from './binaries.js';
import type { DataFolder } from './data-folder.js';
import { EmbeddedDatabaseError, OWN_SERVER_HINT } from './embedded-database-error.js';
import { anyPort, choosePort } from './port.js';
import { isDiskFull, reasonIn, serverLogOf } from './server-log.js';
import { type TiedProcess, startTied } from './tied-process.js';

export interface ServerOptions {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly data: string;
  readonly durable: boolean;
  readonly maxConnections: number;
  /** The only port to use. Undefined: the last one if it is free, otherwise any. */
  readonly port?: number;
  /** Aborts a start that is still running. */
  readonly signal?: AbortSignal;
}

export interface Server {
  readonly port: number;
  readonly process: TiedProcess;
}

const ATTEMPTS = 20;
/** Time enough for the recovery after a crash under load. */
const READY_WITHIN_MS = 180_000;
const PORT_TAKEN = /Address already in use|could not create any TCP\/IP sockets/;
/** The backends of a killed server hold the shared memory for a moment longer. */
const STILL_IN_USE = /is still in use/;

/**
 * Starts the server and returns when it accepts connections. When another program has taken the port, uses another one,
 * or waits if `options.port` is the only port to use.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const log = serverLogOf(options.folder.home);
  let reason = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await rename(log, `${log}.1`).catch(() => undefined);
    const port = options.port ?? (PORT_TAKEN.test(reason) ? await anyPort() : await choosePort(options.data));
    const server = await launch(options, port, log);
    if (await becomesReady(server, options)) return { port, process: server };
    await server.stop();
    if (options.signal?.aborted === true)
      throw new EmbeddedDatabaseError('The start of the embedded PostgreSQL was ended.');
    const output = await readFile(log, 'utf8').catch(() => '');
    reason = output.trim();
    const isPortTaken = PORT_TAKEN.test(reason);
    if (STILL_IN_USE.test(reason) || (isPortTaken && options.port !== undefined)) await delay(250);
    else if (!isPortTaken) break;
  }
  const fatal = reasonIn(reason);
  const last = fatal ?? reason.split('\n').at(-1);
  const wayOut = (await isDiskFull(options.folder.home, fatal))
    ? `make room on the disk that holds "${options.data}"`
    : `set DATA_DIR to another folder, or ${OWN_SERVER_HINT}`;
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL did not start (${last || 'it gave no reason'}; more in "${log}"): ${wayOut}.`,
  );
}

function launch(options: ServerOptions, port: number, log: string): Promise<TiedProcess> {
  const { home, account } = options.folder;
  return startTied({
    command: [
      options.binaries.postgres,
      '-D',
      options.data,
      '-p',
      String(port),
      ...Object.entries(settings(options)).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    cwd: home,
    env: cleanEnvironment(home),
    logFile: log,
    identity: identityOf(account),
  }).catch((error: unknown) => {
    throw spawnRefused(account, error);
  });
}

function settings(options: ServerOptions): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    // No socket file: its path could be too long, and the password protects only TCP.
    unix_socket_directories: '',
    max_connections: String(options.maxConnections),
    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    // Assumes no spinning disk. At its price of random reads, the planner would use two parallel workers to read a
    // thousand rows by an index.
    random_page_cost: '1.1',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statements and error details can contain input of tenants.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/** Returns false when the server ended instead, or was not ready in time. */
async function becomesReady(server: TiedProcess, { data, signal }: ServerOptions): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!server.hasExited() && Date.now() < deadline && signal?.aborted !== true) {
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    // The eighth line is the server's state; the first is its process id.
    if (lines[0] === String(server.pid) && lines[7]?.trim() === 'ready') return true;
    await Promise.race([server.exited, delay(20)]);
  }
  return false;
}
