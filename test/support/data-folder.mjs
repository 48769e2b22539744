// Folders for the data of the services and databases that a run starts.
import { mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, where Linux has one. */
const MEMORY = '/dev/shm';
/** More than the data of a run takes. Containers often have only 64 MB. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

const PREFIX = /^oes-(?:tests|redis|swift|clickhouse)-(\d+)-/;

/**
 * Creates a folder, in memory where there is room. A run copies and deletes a hundred databases of a thousand files each,
 * and the service waits for the disk after each object that it stores. In memory this takes a fraction of the time.
 */
export async function makeDataFolder() {
  return mkdtemp(join((await hasRoomInMemory()) ? MEMORY : tmpdir(), `oes-tests-${process.pid}-`));
}

/** The limit of the file system may be larger than the memory of the machine. PostgreSQL may need to run from there. */
async function hasRoomInMemory() {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const options = mounts.split('\n').findLast((line) => line.split(' ')[1] === MEMORY) ?? 'noexec';
  return !options.includes('noexec') && Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
}

/** Removes the folders of killed runs. The servers of such a run end by themselves. */
export async function removeLeftFolders() {
  for (const place of [tmpdir(), MEMORY]) {
    for (const name of await readdir(place).catch(() => [])) {
      const pid = PREFIX.exec(name)?.[1];
      if (pid === undefined || isRunning(Number(pid))) continue;
      await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
