import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedDatabaseError } from './embedded-database-error.js';
import { inspectProcess, waitUntilGone } from './processes.js';
import { errorCode } from '../platform/errors/index.js';

const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;

/**
 * Removes what an earlier service left on the cluster: a `postmaster.pid` that names no server of this folder is
 * deleted, and a server that still runs is shut down. The caller holds the folder's lock, so no living service uses
 * that server.
 */
export async function clearLeftovers(data: string, log: (line: string) => void): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return;
  const pid = Number(text.split('\n')[0]);
  if (await isServerOf(pid, data)) {
    log(`shutting down a PostgreSQL (process ${pid}) that was left on ${data}`);
    await shutDown(pid, data);
  }
  await rm(file, { force: true });
}

async function isServerOf(pid: number, data: string): Promise<boolean> {
  const facts = await inspectProcess(pid);
  if (facts === null || !/postgres/.test(facts.command)) return false;
  // A running server works in its data folder. Where the system does not report that folder, the command line contains
  // it.
  if (facts.workingFolder !== null) return facts.workingFolder === (await realpath(data));
  return facts.command.includes(data);
}

async function shutDown(pid: number, data: string): Promise<void> {
  try {
    process.kill(pid, 'SIGINT');
    // A signal during the start of the server may be lost, so it is sent again. A second signal is harmless.
    await delay(500);
    if (await isServerOf(pid, data)) process.kill(pid, 'SIGINT');
    if (await waitUntilGone(pid, FAST_SHUTDOWN_MS)) return;
    process.kill(pid, 'SIGQUIT');
    if (await waitUntilGone(pid, IMMEDIATE_SHUTDOWN_MS)) return;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return;
    throw error;
  }
  throw new EmbeddedDatabaseError(
    `A PostgreSQL (process ${pid}) already runs on "${data}" and does not stop: end that process, or set DATA_DIR to another folder.`,
  );
}
