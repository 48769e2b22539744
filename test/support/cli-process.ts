import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SHORT_LIFE } from './lazy-optimizer.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

let bundled: string | undefined;

/** Returns the program and the arguments of a command of the built command line, which loads in a quarter of the usual time. */
export function commandLine(...words: string[]): [string, ...string[]] {
  bundled ??= execFileSync(process.execPath, ['scripts/bundle.mjs', 'cli'], { cwd: ROOT, encoding: 'utf8' }).trim();
  return [process.execPath, ...SHORT_LIFE, join(bundled, 'cli.js'), ...words];
}

/** Starts a command of the built command line in a process of its own. */
export function startCommand(env: Environment, ...words: string[]): ChildProcess {
  const [program, ...others] = commandLine(...words);
  return spawn(program, others, {
    cwd: ROOT,
    // The environment of the test runner is left out: the command would use its DATABASE_URL.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, OPS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command until it ends. */
export async function runCommand(env: Environment, ...words: string[]): Promise<CommandOutcome> {
  const child = startCommand(env, ...words);
  if (child.stdout === null || child.stderr === null) throw new Error('the command has no output');
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

/** Runs a command that succeeds and logs nothing. @returns the JSON value that it prints */
export async function commandAnswer(env: Environment, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand(env, ...words, '--json');
  if (code !== 0 || stderr !== '') throw new Error(`${words.join(' ')} ended with ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
