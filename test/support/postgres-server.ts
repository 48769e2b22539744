import { chown } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Account,
  cleanEnvironment,
  identityOf,
  listAccounts,
  runScript,
} from '../../src/embedded-postgres/account.js';
import { startTied } from '../../src/embedded-postgres/tied-process.js';
import { cleanups, query } from './embedded-database.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { type Absent, askProgram } from './programs/ask.js';

/** A PostgreSQL with its client programs, which the embedded one lacks. */
export const postgresPrograms: { readonly path: string } | Absent = await askProgram('pg-ctl');

const ROLE = 'service';
const QUIET = { fsync: 'off', listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** A folder of clusters and backups, and the programs that work on it as the user of the database. */
export class PostgresMachine {
  private constructor(
    readonly folder: string,
    private readonly account: Account,
    private readonly programs: string,
  ) {}

  static async in(folder: string): Promise<PostgresMachine> {
    if ('absent' in postgresPrograms) throw new Error(postgresPrograms.absent);
    const [account] = await listAccounts();
    if (account === undefined) throw new Error('no user can run PostgreSQL');
    const machine = new PostgresMachine(folder, account, dirname(postgresPrograms.path));
    if (account.switched) await chown(folder, account.uid, account.gid);
    return machine;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs a shell script with the programs of PostgreSQL on PATH. @returns what it printed */
  async run(script: string, ...args: readonly string[]): Promise<string> {
    const lines = `PATH="${this.programs}:$PATH"; set -e; ${script}`;
    const { code, stdout, stderr } = await runScript(this.account, lines, args, { cwd: this.folder });
    if (code !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout;
  }

  /** Makes an empty cluster in a folder. */
  async init(name: string): Promise<void> {
    const options = `--username=${ROLE} --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`;
    await this.run(`initdb --pgdata="$1" ${options}`, this.path(name));
  }

  /** Starts the cluster of a folder and waits until it accepts writes. */
  async start(name: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const port = await freePort();
    const process = await startTied({
      command: [
        join(this.programs, 'postgres'),
        '-D',
        this.path(name),
        '-p',
        String(port),
        ...Object.entries({ ...QUIET, ...settings }).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      cwd: this.folder,
      env: cleanEnvironment(this.folder),
      logFile: this.path(`${name}.log`),
      identity: identityOf(this.account),
    });
    cleanups.push(() => process.stop());
    const url = `postgresql://${ROLE}@127.0.0.1:${port}/postgres`;
    const isWritable = async (): Promise<unknown> => {
      if (process.hasExited())
        throw new Error(`the server of ${name} ended: ${await this.run('tail "$1"', this.path(`${name}.log`))}`);
      return query(url, 'SELECT pg_is_in_recovery() AS waits').then(
        ([row]) => (row as { waits: boolean }).waits,
        () => true,
      );
    };
    await eventually(isWritable, (waits) => waits === false);
    return { url, port, stop: () => process.stop() };
  }
}

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}
