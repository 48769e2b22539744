import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface ProcessFacts {
  /** Distinguishes two processes with the same id. The format is opaque and differs after a reboot. */
  readonly startedAt: string;
  readonly command: string;
  /** Null where the system does not report it. */
  readonly workingFolder: string | null;
}

/** Returns what the system reports about a process, or null when there is none or only a zombie. */
export async function inspectProcess(pid: number): Promise<ProcessFacts | null> {
  if (!Number.isSafeInteger(pid) || pid < 1) return null;
  return process.platform === 'linux' ? inspectByProc(pid) : inspectByPs(pid);
}

/**
 * Waits until the process has ended (a zombie counts as ended). Returns false when it still runs after `milliseconds`.
 */
export async function waitUntilGone(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while ((await inspectProcess(pid)) !== null) {
    if (Date.now() > deadline) return false;
    // Polls, because the system reports the end of a process only to its parent.
    await delay(50);
  }
  return true;
}

async function inspectByProc(pid: number): Promise<ProcessFacts | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain spaces; the numbered fields follow it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    return { startedAt: `${fields[19] ?? ''}/${boot.trim()}`, command: command.split('\0').join(' '), workingFolder };
  } catch {
    return null;
  }
}

async function inspectByPs(pid: number): Promise<ProcessFacts | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=,command=', '-p', String(pid)]);
    const [state = '', ...rest] = stdout.trim().split(/\s+/);
    if (state === '' || state.startsWith('Z')) return null;
    return { startedAt: rest.slice(0, 5).join(' '), command: rest.slice(5).join(' '), workingFolder: null };
  } catch {
    return null;
  }
}
