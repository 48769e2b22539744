import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazyOptimizer } from './lazy-optimizer.mjs';
import { service, type Tenant } from './service.js';

const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<Output>;
  readonly stdout: string;
}

/** A shell of the owner of a tenant, with a folder for files. A command is a process, which takes a second of a busy machine. */
export class UserShell {
  /** The commands belong to the owner of this tenant. */
  tenant: Tenant | undefined;

  private constructor(readonly folder: string) {}

  static async open(): Promise<UserShell> {
    return new UserShell(await mkdtemp(join(tmpdir(), 'oes-cli-')));
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** Starts a command with the environment of the owner's shell. */
  start(words: readonly string[], environment: Record<string, string> = {}, input?: string): Run {
    const child = spawn(process.execPath, [lazyOptimizer(8), CLI, ...words], {
      env: {
        PATH: process.env.PATH,
        XDG_CONFIG_HOME: this.folder,
        OES_URL: service.url,
        OES_TOKEN: this.tenant?.owner.accessToken,
        OES_PROJECT: this.tenant?.projectId,
        ...environment,
      },
    });
    const run = { child, stdout: '', ended: Promise.resolve({} as Output) };
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (run.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    run.ended = new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout: run.stdout, stderr }));
    });
    if (input !== undefined) child.stdin.end(input);
    return run;
  }

  /** Runs a command until it ends. */
  run(words: readonly string[], environment?: Record<string, string>, input = ''): Promise<Output> {
    return this.start(words, environment, input).ended;
  }

  /** @returns the path of a new file */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, content);
    return path;
  }
}
