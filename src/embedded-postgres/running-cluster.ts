import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterUrl, SERVICE_DATABASE, SERVICE_ROLE } from './cluster.js';
import { EmbeddedDatabaseError } from './embedded-database-error.js';
import { livingHolder } from './service-lock.js';
import { errorCode, errorMessage } from '../platform/errors/index.js';

/** How long a server may take that its service is just starting. */
const READY_WITHIN_MS = 30_000;

/**
 * Returns the URL of the embedded database that a living service runs on the data folder. Returns null when no service
 * uses the folder. Takes no lock and starts and stops nothing, so the service is not disturbed.
 */
export async function findRunningCluster(dataDir: string): Promise<string | null> {
  const home = await realpath(join(dataDir, 'postgres')).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw unreadable(dataDir, error);
  });
  if (home === null) return null;
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const holder = await livingHolder(home);
    if (holder === null) return null;
    const port = await readyPort(join(home, 'cluster', 'data'), dataDir);
    if (port !== null) return clusterUrl(await clusterOf(home, dataDir), port, SERVICE_ROLE, SERVICE_DATABASE);
    if (Date.now() > deadline) {
      throw new EmbeddedDatabaseError(
        `The service (process ${holder}) that uses the data folder "${dataDir}" has no database that is ready: look at its log.`,
      );
    }
    await delay(100);
  }
}

/** Returns whether a database was ever created on the data folder. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return readFile(join(dataDir, 'postgres', 'cluster', 'password')).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw unreadable(dataDir, error);
    },
  );
}

async function clusterOf(home: string, dataDir: string): Promise<{ data: string; password: string }> {
  const cluster = join(home, 'cluster');
  const password = await readFile(join(cluster, 'password'), 'utf8').catch((error: unknown) => {
    throw unreadable(dataDir, error);
  });
  return { data: join(cluster, 'data'), password: password.trim() };
}

/** Reads the port of a server that accepts connections. Returns null while there is none. */
async function readyPort(data: string, dataDir: string): Promise<number | null> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw unreadable(dataDir, error);
  });
  const lines = text.split('\n');
  // The fourth line is the port; the eighth is the server's state.
  return lines[7]?.trim() === 'ready' ? Number(lines[3]) : null;
}

function unreadable(dataDir: string, error: unknown): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `The database in the data folder "${dataDir}" cannot be read (${errorMessage(error)}): run the command as the user of the service.`,
    { cause: error },
  );
}
