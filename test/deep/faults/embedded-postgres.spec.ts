import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  access,
  chmod,
  chown,
  cp,
  mkdir,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Account, listAccounts } from '../../../src/embedded-postgres/account.js';
import { findBinaries, usableBinaries } from '../../../src/embedded-postgres/binaries.js';
import { inspectProcess, waitUntilGone } from '../../../src/embedded-postgres/processes.js';
import {
  cleanUp,
  cleanups,
  folderWithDatabase,
  isRoot,
  killHard,
  makeZombie,
  query,
  refusal,
  removeMadeDatabase,
  serverIsReady,
  start,
  startService,
  temporaryFolder,
} from '../../support/embedded-database.js';
import { eventually } from '../../support/service-process.js';
import { HANG_TIMEOUT_MS } from '../../support/bounds.mjs';

afterEach(cleanUp);
afterAll(removeMadeDatabase);

describe('an embedded PostgreSQL', () => {
  it('is made at the first start and keeps its data for the next', async () => {
    const folder = join(await temporaryFolder(), 'not', 'there', 'yet');
    const first = await start(folder, { durable: true });
    await query(first.url, 'CREATE TABLE kept (note text)');
    await query(first.url, `INSERT INTO kept VALUES ('grün')`);
    await first.stop();
    await first.stop();
    expect(await inspectProcess(first.pid)).toBeNull();

    const second = await start(folder);
    expect(await query(second.url, 'SELECT note FROM kept')).toEqual([{ note: 'grün' }]);
    expect(
      await query(
        second.url,
        'SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider, datlocale FROM pg_database WHERE datname = current_database()',
      ),
    ).toEqual([{ encoding: 'UTF8', datlocprovider: 'b', datlocale: 'C.UTF-8' }]);
    expect(second.dataDir).toBe(first.dataDir);
  });

  it('lets nobody in without the password and gives the service no superuser', async () => {
    const postgres = await start(await temporaryFolder());
    const stranger = new URL(postgres.url);
    stranger.password = 'guess';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    expect(await query(postgres.url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toEqual([
      { rolsuper: false },
    ]);
    const home = dirname(dirname(postgres.dataDir));
    expect((await stat(home)).mode & 0o077).toBe(0);
    expect((await stat(join(home, 'cluster', 'password'))).mode & 0o777).toBe(0o600);
  });

  it('runs beside another one on another folder', async () => {
    const [one, other] = await Promise.all([start(await temporaryFolder()), start(await temporaryFolder())]);
    expect(one.port).not.toBe(other.port);
    await query(one.url, 'CREATE TABLE only_in_one (id int)');
    expect(await query(other.url, `SELECT to_regclass('only_in_one') AS found`)).toEqual([{ found: null }]);
  });

  it('keeps its port, and takes another when somebody has it', async () => {
    const folder = await folderWithDatabase();
    const first = await start(folder);
    await first.stop();
    const second = await start(folder);
    expect(second.port).toBe(first.port);
    await second.stop();

    const occupant = createServer().listen(first.port, '127.0.0.1');
    await once(occupant, 'listening');
    cleanups.push(async () => {
      occupant.close();
      await once(occupant, 'close');
    });
    const third = await start(folder);
    expect(third.port).not.toBe(first.port);
    expect(await query(third.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is started again on its port when it ends by itself, until that goes on and on', async () => {
    const lost: string[] = [];
    const postgres = await start(await folderWithDatabase(), {
      durable: true,
      revives: true,
      onLost: (reason) => void lost.push(reason),
    });
    const { port } = postgres;
    await query(postgres.url, 'CREATE TABLE kept (id int)');
    const ends = async (): Promise<number> => {
      const { pid } = postgres;
      process.kill(pid, 'SIGKILL');
      expect(await waitUntilGone(pid, HANG_TIMEOUT_MS)).toBe(true);
      return pid;
    };
    for (let times = 0; times < 5; times += 1) {
      const old = await ends();
      await eventually(
        () => Promise.resolve(postgres.pid),
        (pid) => pid !== old,
      );
      expect(postgres.port).toBe(port);
      expect(await query(postgres.url, 'SELECT FROM kept')).toEqual([]);
    }
    expect(lost).toEqual([]);
    await ends();
    await eventually(
      () => Promise.resolve(lost.length),
      (count) => count > 0,
    );
    expect(lost).toEqual([expect.stringContaining('ended by itself')]);
    await postgres.stop();
  });

  it('is stopped while it is being started again', async () => {
    const postgres = await start(await folderWithDatabase(), { revives: true });
    process.kill(postgres.pid, 'SIGKILL');
    expect(await waitUntilGone(postgres.pid, HANG_TIMEOUT_MS)).toBe(true);
    await postgres.stop();
    expect(await inspectProcess(postgres.pid)).toBeNull();
  });

  it('refuses a second service on the same folder', async () => {
    const folder = await folderWithDatabase();
    const { child } = await startService(folder);
    const message = await refusal(folder);
    expect(message).toBe(
      `Another service (process ${child.pid}) uses the data folder "${folder}": stop it first, or set DATA_DIR to another folder.`,
    );
  });

  it('lets one of two services that start at the same time on a new folder have it', async () => {
    const folder = await temporaryFolder();
    const outcomes = await Promise.allSettled([start(folder), start(folder)]);
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(String(refused?.reason)).toMatch(/^EmbeddedDatabaseError: Another service .* uses the data folder/);
  });
});

describe('the end of the service', () => {
  it('ends the database when the service is killed, and the next start works', async () => {
    const folder = await folderWithDatabase();
    const { child, postgres } = await startService(folder);
    await query(postgres.url, 'CREATE TABLE before_the_kill (id int)');
    await killHard(child);
    expect(await waitUntilGone(postgres.pid, HANG_TIMEOUT_MS)).toBe(true);

    const next = await start(folder);
    expect(await query(next.url, `SELECT to_regclass('before_the_kill')::text AS found`)).toEqual([
      { found: 'before_the_kill' },
    ]);
  });

  it('may start again at once while the database of the killed one is still ending', async () => {
    const folder = await folderWithDatabase();
    const { child, postgres } = await startService(folder);
    await killHard(child);
    const next = await start(folder);
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await inspectProcess(postgres.pid)).toBeNull();
  });

  it('does not let an interrupt from the terminal reach the database', async () => {
    const { child, postgres } = await startService(await folderWithDatabase());
    process.kill(-Number(child.pid), 'SIGINT');
    // The session ends the connection a shutting-down server would refuse.
    expect(await query(postgres.url, 'SELECT pg_sleep(0.3), 1 AS one')).toMatchObject([{ one: 1 }]);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('shuts down a database that outlived its service on the folder', async () => {
    const folder = await folderWithDatabase();
    const first = await start(folder);
    const facts = await inspectProcess(first.pid);
    await first.stop();
    const [program = '', ...words] = (facts?.command ?? '').trim().split(/ (?=-[Dpc] )| (?<=-[Dpc] )/);
    const { uid, gid } = await stat(first.dataDir);
    const orphan = spawn(program, words, {
      cwd: '/',
      stdio: 'ignore',
      detached: true,
      ...(isRoot ? { uid, gid } : {}),
    });
    cleanups.push(() => killHard(orphan));
    await serverIsReady(first.dataDir, Number(orphan.pid));

    const lines: string[] = [];
    const next = await start(folder, { log: (line) => lines.push(line) });
    expect(await inspectProcess(Number(orphan.pid))).toBeNull();
    expect(lines).toEqual([expect.stringContaining(`process ${orphan.pid}`)]);
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it.each(['a dead process', 'a zombie', 'a process that is no database', 'nonsense'])(
    'starts over a pid file that names %s',
    async (kind) => {
      const folder = await folderWithDatabase();
      const first = await start(folder);
      await first.stop();
      const stale: Record<string, () => Promise<string>> = {
        'a dead process': () => Promise.resolve(String(first.pid)),
        'a zombie': async () => String(await makeZombie()),
        'a process that is no database': () => Promise.resolve(String(process.pid)),
        nonsense: () => Promise.resolve('what?'),
      };
      const pid = (await stale[kind]?.()) ?? '';
      const file = join(first.dataDir, 'postmaster.pid');
      await writeFile(file, `${pid}\n${first.dataDir}\n1\n${first.port}\n\n127.0.0.1\n\nready\n`);
      const { uid, gid } = await stat(first.dataDir);
      await chown(file, uid, gid);

      const next = await start(folder);
      expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(String(next.pid));
    },
  );

  it('removes what a killed first start left half made', async () => {
    const folder = await folderWithDatabase();
    await (await start(folder)).stop();
    const home = join(folder, 'postgres');
    await mkdir(join(home, 'cluster-draft-left', 'data'), { recursive: true });
    await start(folder);
    expect((await readdir(home)).filter((name) => name.includes('draft'))).toEqual([]);
  });
});

describe('a folder the database cannot have', () => {
  it('is refused with the folder that blocks and what to do', async () => {
    const blocked = await temporaryFolder();
    const dataDir = join(blocked, 'data');
    if (isRoot) {
      // Root itself passes everywhere, the database's user does not.
      await mkdir(dataDir);
      await chmod(blocked, 0o700);
      const message = await refusal(dataDir);
      expect(message).toContain(`who cannot enter "${blocked}"`);
      expect(message).toContain('set DATA_DIR to a folder that user can reach');
    } else {
      await chmod(blocked, 0o500);
      const message = await refusal(dataDir);
      expect(message).toContain(`cannot use the data folder "${dataDir}"`);
      expect(message).toContain('set DATA_DIR to a folder this service may write');
    }
    expect(await readdir(isRoot ? dataDir : blocked)).toEqual([]);
  });

  it('is left for a system folder only when it is the default and the service runs as root', async () => {
    const blocked = await temporaryFolder();
    const dataDir = join(blocked, 'data');
    const lines: string[] = [];
    const options = { dataDirIsDefault: true, log: (line: string) => lines.push(line) };
    await mkdir(dataDir);
    await chmod(blocked, 0o700);
    const first = await start(dataDir, options);
    const home = dirname(dirname(first.dataDir));
    if (!isRoot) {
      expect(home).toBe(join(dataDir, 'postgres'));
      expect(lines).toEqual([]);
      return;
    }
    cleanups.splice(-1, 0, () => rm(home, { recursive: true, force: true }));
    expect(dirname(home)).toBe('/var/lib/operational-event-service');
    expect(await readlink(join(dataDir, 'postgres'))).toBe(home);
    expect(lines).toEqual([expect.stringContaining(home)]);
    await query(first.url, 'CREATE TABLE kept (id int)');
    await first.stop();

    const second = await start(dataDir, options);
    expect(await query(second.url, `SELECT to_regclass('kept')::text AS found`)).toEqual([{ found: 'kept' }]);
    await second.stop();

    // As in a fresh container that kept only the checkout.
    await rm(home, { recursive: true });
    const third = await start(dataDir, options);
    const newHome = dirname(dirname(third.dataDir));
    cleanups.splice(-1, 0, () => rm(newHome, { recursive: true, force: true }));
    expect(await query(third.url, `SELECT to_regclass('kept')::text AS found`)).toEqual([{ found: null }]);
  });

  it('is refused when another user made it', async () => {
    const folder = await temporaryFolder();
    await symlink('/usr', join(folder, 'postgres'));
    expect(await refusal(folder)).toMatch(
      /belongs to the user "root" and this service cannot open it as "[^"]+": start the service as/,
    );
  });

  it('is refused when another version of PostgreSQL made it', async () => {
    const folder = await folderWithDatabase();
    const postgres = await start(folder);
    await postgres.stop();
    await writeFile(join(postgres.dataDir, 'PG_VERSION'), '9\n');
    expect(await refusal(folder)).toMatch(/was made by PostgreSQL 9 and the installed one is \d+/);
  });

  it('gives the reason of PostgreSQL itself when it does not start', async () => {
    const folder = await folderWithDatabase();
    const postgres = await start(folder);
    await postgres.stop();
    await rm(join(postgres.dataDir, 'global', 'pg_control'));
    expect(await refusal(folder)).toMatch(/did not start \(.*pg_control/);
  });
});

describe('an installation of PostgreSQL', () => {
  /** The installed programs as an install without its script leaves them: no links. */
  async function programsWithoutLinks(): Promise<{ programs: string; links: string[] }> {
    const { account, home } = await accountWithHome();
    const installed = dirname(dirname((await findBinaries(account, home)).postgres));
    const programs = join(await folderWithDatabase(), 'native');
    await cp(installed, programs, { recursive: true, verbatimSymlinks: true });
    const list = JSON.parse(await readFile(join(programs, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    const links = list.map(({ target }) => join(dirname(programs), target));
    for (const link of links) await rm(link);
    expect(links.length).toBeGreaterThan(0);
    return { programs, links };
  }

  async function accountWithHome(): Promise<{ account: Account; home: string }> {
    const [account] = await listAccounts();
    if (account === undefined) throw new Error('no account');
    const home = join(await folderWithDatabase(), 'home');
    await mkdir(home, { mode: 0o700 });
    if (account.switched) await chown(home, account.uid, account.gid);
    return { account, home };
  }

  it('gets the links that an install without scripts left out', async () => {
    const { account, home } = await accountWithHome();
    const { programs, links } = await programsWithoutLinks();
    expect(await usableBinaries(programs, account, home)).toEqual({
      postgres: join(programs, 'bin', 'postgres'),
      initdb: join(programs, 'bin', 'initdb'),
      majorVersion: 18,
    });
    for (const link of links) await access(link);
    expect(await readdir(home)).toEqual([]);
  });

  it('is copied once next to the data when it cannot be used or repaired in its place', async () => {
    const { account, home } = await accountWithHome();
    const { programs } = await programsWithoutLinks();
    if (isRoot) await chmod(dirname(programs), 0o700);
    else {
      await chmod(join(programs, 'lib'), 0o555);
      cleanups.push(() => chmod(join(programs, 'lib'), 0o755));
    }
    const binaries = await usableBinaries(programs, account, home);
    expect(dirname(dirname(dirname(binaries.postgres)))).toBe(home);
    const made = await stat(binaries.postgres);
    expect(made.uid).toBe(account.uid);

    expect(await usableBinaries(programs, account, home)).toEqual(binaries);
    expect((await stat(binaries.postgres)).ino).toBe(made.ino);
    expect(await readdir(home)).toHaveLength(1);
  });
});
