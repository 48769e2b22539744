import { spawn } from 'node:child_process';
import { readFile, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { EmbeddedDatabaseError, OWN_SERVER_HINT } from './embedded-database-error.js';
import { errorMessage } from '../platform/errors/index.js';

/** The operating system user that PostgreSQL runs as. `switched` when that is not the user of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly switched: boolean;
}

export interface CommandResult {
  /** Null when a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Returns the users that PostgreSQL may run as, the preferred one first. PostgreSQL refuses to run as root, so root
 * gets `postgres` and `nobody` where they exist. Any other user gets only itself.
 */
export async function listAccounts(): Promise<Account[]> {
  if (process.getuid === undefined) {
    throw new EmbeddedDatabaseError(`The embedded database does not run on this operating system: ${OWN_SERVER_HINT}.`);
  }
  if (process.getuid() !== 0) {
    const { uid, gid } = userInfo();
    return [{ uid, gid, name: await accountName(uid), switched: false }];
  }
  const entries = await readPasswd();
  const accounts = ['postgres', 'nobody'].flatMap((name) => entries.filter((entry) => entry.name === name));
  if (accounts.length === 0) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root and this system has neither a user "postgres" nor "nobody": start the service as an ordinary user, or ${OWN_SERVER_HINT}.`,
    );
  }
  return accounts;
}

/** Returns the login name of a user id, or the number when the system has no such user. */
export async function accountName(uid: number): Promise<string> {
  return (await readPasswd()).find((entry) => entry.uid === uid)?.name ?? String(uid);
}

/**
 * Returns the whole environment of the database's programs, so that no variable of this process (PG*, LANG, secrets)
 * reaches them.
 */
export function cleanEnvironment(home: string): Record<string, string> {
  return { HOME: home, PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Returns the spawn options that run a child process as the account. */
export function identityOf(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/**
 * Runs a short `/bin/sh` script as the account and collects its output; `$1`, `$2`, ... are `args`. Rejects with
 * EmbeddedDatabaseError when the system refuses the change of user.
 */
export function runScript(
  account: Account,
  script: string,
  args: readonly string[],
  options: { cwd?: string; input?: string } = {},
): Promise<CommandResult> {
  const cwd = options.cwd ?? '/';
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
      cwd,
      env: cleanEnvironment(cwd),
      stdio: ['pipe', 'pipe', 'pipe'],
      ...identityOf(account),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => reject(spawnRefused(account, error)));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    // A script that reads no input may close its end first. Its exit code says whether it failed.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

export function spawnRefused(account: Account, error: unknown): EmbeddedDatabaseError {
  const what = account.switched ? `a program as user "${account.name}"` : 'a program';
  return new EmbeddedDatabaseError(
    `The embedded database cannot start ${what} (${errorMessage(error)}): start the service as an ordinary user, or ${OWN_SERVER_HINT}.`,
    { cause: error },
  );
}

/** Returns whether the account may enter the folder. The system itself decides, so that ACLs and mounts count. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  if (!account.switched) return true;
  return (await runScript(account, '[ -d "$1" ] && [ -x "$1" ]', [folder])).code === 0;
}

/**
 * Returns the uppermost folder of the path that the account cannot enter, or the folder itself when the modes show
 * none.
 */
export async function blockingFolder(account: Account, folder: string): Promise<string> {
  const way: string[] = [];
  for (let step = await realpath(folder); ; step = dirname(step)) {
    way.unshift(step);
    if (step === dirname(step)) break;
  }
  for (const step of way) {
    const { uid, gid, mode } = await stat(step);
    const needed = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & needed) === 0) return step;
  }
  return folder;
}

async function readPasswd(): Promise<Account[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return [];
    return [{ name, uid: Number(uid), gid: Number(gid), switched: true }];
  });
}
