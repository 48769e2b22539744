import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cleanups, temporaryFolder } from '../embedded-database.js';
import { askProgram, type AskOptions } from '../programs/ask.js';
import { senderBundle } from '../sender-bundle.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS = join(ROOT, 'test/support/clients/senders');
export const PYTHON_CLIENT = join(ROOT, 'clients/python');
export const GO_CLIENT = join(ROOT, 'clients/go');
/** Without a C compiler, without the network, and with the Go that is on the machine. */
export const GO_ENV = {
  ...process.env,
  CGO_ENABLED: '0',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-buildvcs=false',
};

export interface SenderProgramOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly maxBatchEvents?: number;
  readonly maxBatchBytes?: number;
  readonly maxQueuedBytes?: number;
  readonly maxWaitMs?: number;
  readonly timeoutMs?: number;
}

/** The defaults of all senders, except that events wait until a flush. */
const DEFAULTS = {
  source: 'shop',
  maxBatchEvents: 200,
  maxBatchBytes: 524_288,
  maxQueuedBytes: 8_388_608,
  maxWaitMs: 600_000,
  timeoutMs: 10_000,
};

/**
 * - `send`: sends the events
 * - `send value`: sends an event with the number 0, whose payload has a value that JSON cannot hold
 * - `flush` and `close`: answer with `isDone`
 * - `state`: does nothing
 * - `log`, `wsgi`, `asgi` and `fork` of Python, `http` of Go: use the other parts of the client
 */
type Command =
  | { readonly do: 'send' | 'fork'; readonly events: readonly object[] }
  | { readonly do: 'send value'; readonly value: 'circle' | 'unknown' | 'not finite' | 'broken text' }
  | { readonly do: 'flush' | 'close'; readonly timeoutMs: number }
  | { readonly do: 'state' | 'log' | 'wsgi' | 'asgi' | 'http' };

interface State {
  readonly pending: number;
  /** Members without a value are left out. */
  readonly losses: readonly object[];
  readonly isDone: boolean | null;
}

/** A sender in a process of its own. It is killed at the end of the test. */
export class SenderProgram {
  private readonly answers: AsyncIterator<string>;
  private readonly exited: Promise<number | null>;

  constructor(private readonly child: ChildProcess) {
    const { stdout } = child;
    if (stdout === null) throw new Error('the program has no standard output');
    this.answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.exited = once(child, 'close').then(([code]: unknown[]) => code as number | null);
    cleanups.push(async () => {
      child.kill('SIGKILL');
      await this.exited;
    });
  }

  /** Commands run one after another. */
  async ask(command: Command): Promise<State> {
    this.child.stdin?.write(`${JSON.stringify(command)}\n`);
    const { done, value } = await this.answers.next();
    if (done === true) throw new Error(`the program ended with ${await this.exited}`);
    const { pending, losses, isDone } = JSON.parse(value) as State;
    return { pending, losses: losses.map(withoutNull), isDone };
  }

  send(events: readonly object[]): Promise<State> {
    return this.ask({ do: 'send', events });
  }

  /** Flushes until all events are decided on. Each flush ends a wait for the next attempt. */
  async flushAll(): Promise<State> {
    for (;;) {
      const state = await this.ask({ do: 'flush', timeoutMs: 50 });
      if (state.isDone === true) return state;
    }
  }

  /** Lets the program come to its end. Returns its exit code. */
  end(): Promise<number | null> {
    this.child.stdin?.end();
    return this.exited;
  }
}

function withoutNull(loss: object): object {
  return Object.fromEntries(Object.entries(loss).filter(([, value]) => value !== null && value !== undefined));
}

/** A language that has a sender, with the reason when this machine cannot run it. */
export interface SenderLanguage {
  readonly name: 'TypeScript' | 'Python' | 'Go';
  readonly absent?: string;
  /** Builds the program at the first call. */
  readonly start: (options: SenderProgramOptions) => Promise<SenderProgram>;
  /** For `afterAll`: removes what was built. */
  release(): Promise<void>;
}

/** All languages that have a sender. */
export async function senderLanguages(options?: AskOptions): Promise<readonly SenderLanguage[]> {
  return [typeScriptSender(), await pythonSender(options), await goSender(options)];
}

export async function pythonSender(options?: AskOptions): Promise<SenderLanguage> {
  const python = await askProgram<{ path: string }>('python', options);
  if ('absent' in python) return absentLanguage('Python', python.absent);
  const env = { ...process.env, PYTHONPATH: join(PYTHON_CLIENT, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  const start = (given: SenderProgramOptions): Promise<SenderProgram> =>
    Promise.resolve(launch([python.path, join(PROGRAMS, 'sender.py')], given, env));
  return { name: 'Python', start, release: nothing };
}

export async function goSender(options?: AskOptions): Promise<SenderLanguage> {
  const go = await askProgram<{ path: string }>('go', options);
  if ('absent' in go) return absentLanguage('Go', go.absent);
  const folder = await mkdtemp(join(tmpdir(), 'oes-go-sender-'));
  const program = join(folder, 'sender');
  let built: Promise<unknown> | undefined;
  const build = (): Promise<unknown> =>
    promisify(execFile)(go.path, ['build', '-o', program, '.'], { cwd: join(PROGRAMS, 'go'), env: GO_ENV });
  const start = async (given: SenderProgramOptions): Promise<SenderProgram> => {
    await (built ??= build());
    return launch([program], given);
  };
  return { name: 'Go', start, release: () => rm(folder, { recursive: true, force: true }) };
}

function typeScriptSender(): SenderLanguage {
  return { name: 'TypeScript', start: startTypeScript, release: nothing };
}

function absentLanguage(name: SenderLanguage['name'], absent: string): SenderLanguage {
  return { name, absent, start: () => Promise.reject(new Error(absent)), release: nothing };
}

const nothing = (): Promise<void> => Promise.resolve();

async function startTypeScript(options: SenderProgramOptions): Promise<SenderProgram> {
  const folder = await temporaryFolder();
  await copyFile(join(PROGRAMS, 'sender.mjs'), join(folder, 'sender.mjs'));
  await writeFile(join(folder, 'bundle.mjs'), senderBundle());
  return launch([process.execPath, join(folder, 'sender.mjs')], options);
}

function launch(
  [program, ...words]: readonly [string, ...string[]],
  options: SenderProgramOptions,
  env: NodeJS.ProcessEnv = process.env,
): SenderProgram {
  const given = JSON.stringify({ ...DEFAULTS, ...options });
  return new SenderProgram(spawn(program, [...words, given], { env, stdio: ['pipe', 'pipe', 'inherit'] }));
}
