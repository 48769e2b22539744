import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Lines about clients that came too early or too late. They do not say why the server ended. */
const OF_CLIENTS =
  /FATAL: {2}(?:the database system is |terminating |password authentication |sorry, too many |remaining )/;
const FATAL = /\b(?:FATAL|PANIC):|error while loading/;
/** The smallest amount of disk space that the server requests. */
const WAL_SEGMENT_BYTES = 16_777_216;
const DISK_FULL = /No space left on device|Disk quota exceeded/;

/** Returns the path of the log of the server and its tools, for the current or the last run. */
export function serverLogOf(home: string): string {
  return join(home, 'postgres.log');
}

/**
 * Returns the line of a server's output that says why it ended, or null. A full disk comes first, since later failures
 * are its consequences, then the last fatal line. Other lines are never returned, since they may contain input of
 * tenants.
 */
export function reasonIn(output: string): string | null {
  const lines = output.split('\n').map((line) => line.trim());
  const last = lines.findLast((line) => DISK_FULL.test(line));
  return last ?? lines.findLast((line) => FATAL.test(line) && !OF_CLIENTS.test(line)) ?? null;
}

/** Returns {@link reasonIn} of the server's log. */
export async function reasonOfEnd(home: string): Promise<string | null> {
  return reasonIn(await readFile(serverLogOf(home), 'utf8').catch(() => ''));
}

/** Returns whether a full disk is the reason. The log says so, unless the log itself could not be written. */
export async function isDiskFull(home: string, reason: string | null): Promise<boolean> {
  if (reason !== null) return DISK_FULL.test(reason);
  const free = await statfs(home).catch(() => null);
  return free !== null && free.bavail * free.bsize < WAL_SEGMENT_BYTES;
}
