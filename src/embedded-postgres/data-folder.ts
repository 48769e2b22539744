import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Account, accountName, blockingFolder, canEnter, listAccounts } from './account.js';
import { EmbeddedDatabaseError, OWN_SERVER_HINT } from './embedded-database-error.js';
import { errorCode } from '../platform/errors/index.js';

/** The folder of clusters of a root service when the database's user cannot reach the default data folder. */
const SYSTEM_FOLDER = '/var/lib/operational-event-service';

export interface DataFolder {
  /** The real path of `<dataDir>/postgres`, which only the account may enter. */
  readonly home: string;
  readonly account: Account;
}

export interface DataFolderOptions {
  readonly dataDir: string;
  readonly dataDirIsDefault: boolean;
  readonly log: (line: string) => void;
}

/**
 * Finds or creates `<dataDir>/postgres` for the user that the database runs as. Throws EmbeddedDatabaseError when that
 * user cannot reach the folder or another user created it, and the system's error when it cannot be written.
 */
export async function openDataFolder(options: DataFolderOptions): Promise<DataFolder> {
  const accounts = await listAccounts();
  const entry = join(options.dataDir, 'postgres');
  await makePassable(options.dataDir, preferred(accounts));
  if (!(await exists(entry))) await createHome(entry, accounts, options);
  return openHome(entry, accounts);
}

/** Creates the folder and its missing parents so that the account can pass through them, whatever the umask is. */
async function makePassable(folder: string, account: Account): Promise<void> {
  if (await exists(folder)) return;
  await makePassable(dirname(folder), account);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  if (account.switched) await chmod(folder, 0o711);
}

async function createHome(entry: string, accounts: readonly Account[], options: DataFolderOptions): Promise<void> {
  const account = preferred(accounts);
  await forgetLostCluster(entry, options.log);
  if (await canEnter(account, options.dataDir)) {
    await makePrivate(entry, account);
    return;
  }
  if (!options.dataDirIsDefault) throw await unreachable(account, options.dataDir);

  await makePassable(SYSTEM_FOLDER, account);
  if (!(await canEnter(account, SYSTEM_FOLDER))) throw await unreachable(account, SYSTEM_FOLDER);
  const elsewhere = join(SYSTEM_FOLDER, randomUUID());
  await makePrivate(elsewhere, account);
  try {
    await symlink(elsewhere, entry);
  } catch (error) {
    await rm(elsewhere, { recursive: true, force: true });
    // Another service created the link first; its folder is used.
    if (errorCode(error) !== 'EEXIST') throw error;
    return;
  }
  options.log(
    `the database's user "${account.name}" cannot reach ${options.dataDir}, so the embedded database keeps its files in ${elsewhere}`,
  );
}

/** Removes a link whose target is gone: the system folder was emptied, as in a new container. */
async function forgetLostCluster(entry: string, log: (line: string) => void): Promise<void> {
  const target = await readlink(entry).catch(() => null);
  if (target === null) return;
  if (!target.startsWith(`${SYSTEM_FOLDER}/`)) {
    throw new EmbeddedDatabaseError(
      `"${entry}" is a link to "${target}", which does not exist: bring that folder back or remove the link.`,
    );
  }
  log(`the embedded database's files in ${target} are gone, a new database is made`);
  await rm(entry, { force: true });
}

async function makePrivate(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await giveWhenEmpty(folder, account);
}

/** Gives an empty folder of root to the account. This service has just created it, or an operator has prepared it. */
async function giveWhenEmpty(folder: string, account: Account): Promise<void> {
  if (!account.switched || (await stat(folder)).uid !== 0 || (await readdir(folder)).length > 0) return;
  await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
}

async function openHome(entry: string, accounts: readonly Account[]): Promise<DataFolder> {
  const home = await realpath(entry);
  await giveWhenEmpty(home, preferred(accounts));
  const owner = (await stat(home)).uid;
  const account = accounts.find((candidate) => candidate.uid === owner);
  if (account === undefined) {
    throw new EmbeddedDatabaseError(
      `The database in "${entry}" belongs to the user "${await accountName(owner)}" and this service cannot open it as "${preferred(accounts).name}": start the service as the user who made it, or set DATA_DIR to another folder.`,
    );
  }
  if (!(await canEnter(account, home))) throw await unreachable(account, home);
  return { home, account };
}

async function unreachable(account: Account, folder: string): Promise<EmbeddedDatabaseError> {
  const blocking = await blockingFolder(account, folder);
  return new EmbeddedDatabaseError(
    `The database runs as user "${account.name}", who cannot enter "${blocking}" and so not reach "${folder}": set DATA_DIR to a folder that user can reach, start the service as an ordinary user, or ${OWN_SERVER_HINT}.`,
  );
}

function preferred(accounts: readonly Account[]): Account {
  const [first] = accounts;
  if (first === undefined) throw new Error('no account to run the database as');
  return first;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}
