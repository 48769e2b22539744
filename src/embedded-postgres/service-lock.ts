import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedDatabaseError } from './embedded-database-error.js';
import { inspectProcess } from './processes.js';
import { errorCode } from '../platform/errors/index.js';

interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * Makes this process the only user of the folder and returns the function that releases it. The lock names a process,
 * so a lock of a dead service is replaced. Throws EmbeddedDatabaseError when a living service holds it.
 */
export async function lockDataFolder(home: string, dataDir: string): Promise<() => Promise<void>> {
  const lock = join(home, 'service.lock');
  const own = JSON.stringify({ pid: process.pid, startedAt: (await inspectProcess(process.pid))?.startedAt ?? '' });
  const draft = join(home, `service.lock.${randomUUID()}`);
  await writeFile(draft, own, { flag: 'wx', mode: 0o600 });
  try {
    for (let round = 0; round < 5; round += 1) {
      // A link appears as a whole or not at all, so no process reads a partial lock.
      const taken = await link(draft, lock).then(
        () => true,
        (error: unknown) => {
          if (errorCode(error) === 'EEXIST') return false;
          throw error;
        },
      );
      if (taken) {
        return async () => {
          if ((await readOrNull(lock)) === own) await rm(lock, { force: true });
        };
      }
      const seen = await readOrNull(lock);
      if (seen === null) continue;
      await refuseWhenAlive(seen, dataDir);
      await discard(lock, seen);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw inUse(dataDir, null);
}

/** Returns the process id of the living service that holds the lock of the folder, or null when there is none. */
export async function livingHolder(home: string): Promise<number | null> {
  const text = await readOrNull(join(home, 'service.lock'));
  return text === null ? null : livingProcessIn(text);
}

async function refuseWhenAlive(text: string, dataDir: string): Promise<void> {
  const pid = await livingProcessIn(text);
  if (pid !== null) throw inUse(dataDir, pid);
}

async function livingProcessIn(text: string): Promise<number | null> {
  const holder = parseHolder(text);
  if (holder === null) return null;
  const facts = await inspectProcess(holder.pid);
  return facts !== null && facts.startedAt === holder.startedAt ? holder.pid : null;
}

/** Removes the stale lock. A lock that another process has created in the meantime is restored. */
async function discard(lock: string, stale: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readOrNull(aside)) !== stale) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

function parseHolder(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('startedAt' in value)) return null;
    return typeof value.pid === 'number' && typeof value.startedAt === 'string'
      ? { pid: value.pid, startedAt: value.startedAt }
      : null;
  } catch {
    return null;
  }
}

function inUse(dataDir: string, pid: number | null): EmbeddedDatabaseError {
  const who = pid === null ? 'Another service' : `Another service (process ${pid})`;
  return new EmbeddedDatabaseError(
    `${who} uses the data folder "${dataDir}": stop it first, or set DATA_DIR to another folder.`,
  );
}

async function readOrNull(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
