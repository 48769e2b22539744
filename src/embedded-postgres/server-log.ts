import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Told to a client that came too early or too late; why the server is not there stands elsewhere. */
const OF_CLIENTS =
  /FATAL: {2}(?:the database system is |terminating |password authentication |sorry, too many |remaining )/;
const FATAL = /\b(?:FATAL|PANIC):|error while loading/;
/** The least that the server asks a disk for. */
const WAL_SEGMENT_BYTES = 16_777_216;
const DISK_FULL = /No space left on device|Disk quota exceeded/;

/** What the server and its tools print, the run that is on or was last. */
export function serverLogOf(home: string): string {
  return join(home, 'postgres.log');
}

/**
 * The line of a server's output that says why it ended: that the disk is full before all else, since what fails next is a
 * consequence, then its last fatal one. Null when there is none; other lines may hold what tenants entered.
 */
export function reasonIn(output: string): string | null {
  const lines = output.split('\n').map((line) => line.trim());
  const last = lines.findLast((line) => DISK_FULL.test(line));
  return last ?? lines.findLast((line) => FATAL.test(line) && !OF_CLIENTS.test(line)) ?? null;
}

/** {@link reasonIn} of the server's log. */
export async function reasonOfEnd(home: string): Promise<string | null> {
  return reasonIn(await readFile(serverLogOf(home), 'utf8').catch(() => ''));
}

/** Whether a full disk is why: the log says so, unless even that could not be written. */
export async function isDiskFull(home: string, reason: string | null): Promise<boolean> {
  if (reason !== null) return DISK_FULL.test(reason);
  const free = await statfs(home).catch(() => null);
  return free !== null && free.bavail * free.bsize < WAL_SEGMENT_BYTES;
}
