import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { waitUntilGone } from '../../src/embedded-postgres/processes.js';
import { HANG_TIMEOUT_MS } from './bounds.mjs';
import { cleanups } from './embedded-database.js';
import { eventually } from './eventually.js';
import { SHORT_LIFE } from './lazy-optimizer.mjs';

export { eventually };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The command that `npm start` runs, without npm. */
export const START = [process.execPath, 'scripts/start.mjs'] as const;
export const NPM_START = ['npm', 'start'] as const;

let bundled: string | undefined;

/**
 * Returns a command for the built service that starts in a quarter of the time. {@link START} runs the files as they
 * are shipped.
 */
function quickly(entry: 'main' | 'worker'): [string, ...string[]] {
  bundled ??= execFileSync(process.execPath, ['scripts/bundle.mjs'], { cwd: ROOT, encoding: 'utf8' }).trim();
  return [process.execPath, ...SHORT_LIFE, join(bundled, `${entry}.js`)];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export const CLEAN_EXIT: Exit = { code: 0, signal: null };
export const REFUSED_CONFIGURATION: Exit = { code: 78, signal: null };

export interface LaunchOptions {
  /** The environment, in addition to PATH, HOME, a free PORT and rate limits that no test reaches. */
  readonly env: Readonly<Record<string, string>>;
  readonly command?: readonly [string, ...string[]];
  /** The process leads a process group, so that a signal can be sent to the group as a terminal does. */
  readonly ownGroup?: boolean;
}

/** A process of the built service. It is killed at the end of the test that launched it. */
export class ServiceProcess {
  stdout = '';
  stderr = '';
  /** Resolves when the process has ended and its whole output has arrived. */
  readonly exited: Promise<Exit>;
  private over = false;

  constructor(
    private readonly child: ChildProcess,
    private readonly ownGroup: boolean,
    private readonly dataDir: string | undefined,
  ) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = once(child, 'close').then(([code, signal]: unknown[]) => {
      this.over = true;
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return !this.over;
  }

  /** The address where the service listens. */
  get url(): string {
    const url = /"url":"(http:[^"]+)"/.exec(this.stdout)?.[1];
    if (url === undefined) throw new Error(`the service does not listen${this.output()}`);
    return url;
  }

  /** Waits until standard output has the text. Fails when the process ends without it. */
  async printed(text: string): Promise<void> {
    const deadline = AbortSignal.timeout(HANG_TIMEOUT_MS);
    while (!this.stdout.includes(text)) {
      if (this.over) throw new Error(`the service ended without "${text}"${this.output()}`);
      if (deadline.aborted || this.child.stdout === null) throw new Error(`no "${text}" in time${this.output()}`);
      const news = once(this.child.stdout, 'data', { signal: deadline }).catch(() => undefined);
      await Promise.race([news, this.exited]);
    }
  }

  /** Stops reading the output of the process, as a supervisor that hangs does. */
  stopReading(): void {
    this.child.stdout?.pause();
  }

  readOn(): void {
    this.child.stdout?.resume();
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** Returns how the process ended. Fails when it still runs after the time limit. */
  async end(): Promise<Exit> {
    const late = new AbortController();
    const timer = delay(HANG_TIMEOUT_MS, 'late' as const, { signal: late.signal }).catch(() => 'late' as const);
    const outcome = await Promise.race([this.exited, timer]);
    late.abort();
    if (outcome === 'late') throw new Error(`the service did not end${this.output()}`);
    return outcome;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.signal(signal);
    return this.end();
  }

  /** Kills the process in whatever state it is, and waits for the end of its embedded database. */
  async destroy(): Promise<void> {
    const database = this.dataDir === undefined ? null : await embeddedDatabase(this.dataDir);
    if (!this.kill()) return;
    await this.exited;
    if (database !== null) await waitUntilGone(database.pid, HANG_TIMEOUT_MS);
  }

  /** Returns whether there was a process to kill. */
  private kill(): boolean {
    if (!this.ownGroup) return this.child.kill('SIGKILL');
    try {
      this.signalGroup('SIGKILL');
      return true;
    } catch {
      return false;
    }
  }

  private output(): string {
    return `:\n${this.stdout.slice(-3_000)}\n${this.stderr.slice(-3_000)}`;
  }
}

export function launch({ env, command = quickly('main'), ownGroup = false }: LaunchOptions): ServiceProcess {
  const [program, ...words] = command;
  const child = spawn(program, words, {
    cwd: ROOT,
    // The environment of the test runner is left out: the service would use its DATABASE_URL.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      OPS_PORT: '0',
      // Suites that use up a quota count the events of their projects.
      QUOTA_NOTICES: 'off',
      RATE_LIMIT_OVERRIDES: 'events=100000/100000,intake=100000/100000,auth-login=100000,auth-register=100000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
  const service = new ServiceProcess(child, ownGroup, env.DATA_DIR);
  cleanups.push(() => service.destroy());
  return service;
}

/** Launches the service and waits until it accepts requests. */
export async function startService(options: LaunchOptions): Promise<ServiceProcess> {
  const service = launch(options);
  await service.printed('"message":"listening"');
  return service;
}

/** Launches a worker and waits until it works. */
export async function startWorker(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const worker = launch({ command: quickly('worker'), env });
  await worker.printed('"message":"worker started"');
  return worker;
}

export interface RunningDatabase {
  readonly pid: number;
  /** Connects with the role of the service. */
  readonly url: string;
}

/** Returns the embedded database that runs on a data folder, or null when none does. */
export async function embeddedDatabase(dataDir: string): Promise<RunningDatabase | null> {
  const cluster = join(dataDir, 'postgres', 'cluster');
  const pidFile = await readFile(join(cluster, 'data', 'postmaster.pid'), 'utf8').catch(() => null);
  if (pidFile === null) return null;
  const password = (await readFile(join(cluster, 'password'), 'utf8')).trim();
  const [pid, , , port = ''] = pidFile.split('\n');
  return { pid: Number(pid), url: `postgresql://oes:${password}@127.0.0.1:${port}/oes` };
}

export async function runningDatabase(dataDir: string): Promise<RunningDatabase> {
  const database = await embeddedDatabase(dataDir);
  if (database === null) throw new Error(`no database runs in ${dataDir}`);
  return database;
}

/** Waits until nothing listens at the address any more. */
export async function refusesConnections(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const attempt = async (): Promise<string | undefined> => {
    const socket = connect(Number(port), hostname);
    try {
      await once(socket, 'connect');
      return 'connected';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    } finally {
      socket.destroy();
    }
  };
  await eventually(attempt, (outcome) => outcome === 'ECONNREFUSED');
}
