import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CommanderError } from 'commander';
import { buildProgram } from '../../src/cli/program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The database address is wrong, so a command that goes on to the database fails with another exit code. */
const ENVIRONMENT = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: 'no address' };

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function cli(...words: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/cli.js', ...words], {
    cwd: ROOT,
    encoding: 'utf8',
    env: ENVIRONMENT,
  });
  return { code: status, stdout, stderr };
}

/** Reads words as {@link cli} does, without a process. @returns what is printed, and whether the words are refused */
async function parsed(...words: string[]): Promise<{ isRefused: boolean; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    });
  }
  const error = await buildProgram(ENVIRONMENT)
    .parseAsync(words, { from: 'user' })
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  return { isRefused: error instanceof CommanderError && error.exitCode !== 0, ...printed };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('A command that is mistyped', () => {
  it.each<[string, string[], string]>([
    ['an option of another name', ['migrate', '--event-stor'], "unknown option '--event-stor'"],
    ['a wrong option behind a right one', ['migrate', '--event-store', '--restore'], "unknown option '--restore'"],
    ['an option without the one that it needs', ['migrate', '--restored'], "'--restored' needs '--event-store'"],
    ['an option of another command', ['generate', '--restored'], "unknown option '--restored'"],
    ['an option where there is none', ['drift', '--check'], "unknown option '--check'"],
    ['a word too many', ['drift', 'now'], "too many arguments for 'drift'"],
    ['a command without its argument', ['query'], "missing required argument 'query'"],
    ['a command without an option that it needs', ['apply'], "required option '-f, --file <file>' not specified"],
    ['options that exclude each other', ['send', '--live', '--run-id', 'x'], "'--run-id <id>' cannot be used with"],
    ['a command that does not exist', ['toString'], "unknown command 'toString'"],
    ['a group without a command', ['users'], 'Usage: oes users'],
    ['a command that a group does not have', ['keys', 'create'], "unknown command 'create'"],
    ['a missing argument', ['users', 'show'], "missing required argument 'address'"],
    ['an empty key', ['keys', 'revoke', ''], 'It must have at least 4 characters.'],
    ['a number that is none', ['users', 'list', '--limit', 'many'], 'It must be a whole number from 1 to 1000.'],
    ['a plan that does not exist', ['organizations', 'set-plan', 'acme', 'gold'], 'Allowed choices are free, pro'],
    ['a deletion that nobody confirms', ['organizations', 'delete', 'acme'], "needs '--yes' where nobody can be asked"],
  ])('is refused before anything is done: %s', async (_, words, message) => {
    const stderr = expect.stringContaining(message) as unknown;
    expect(await parsed(...words)).toEqual({ isRefused: true, stdout: '', stderr });
  });

  it('ends the process with exit code 2', () => {
    const stderr = expect.stringContaining("too many arguments for 'drift'") as unknown;
    expect(cli('drift', 'now')).toEqual({ code: 2, stdout: '', stderr });
  });

  it('is distinguished from a correct command', () => {
    const correct = [
      ['migrate', '--restored', '--event-store'],
      ['audit', 'tail', '-n', '5'],
    ];
    for (const words of correct) {
      expect(cli(...words)).toMatchObject({ code: 78, stderr: expect.stringContaining('DATABASE_URL') as unknown });
    }
  });
});

const COMMANDS = [
  ...['migrate', 'demo', 'generate', 'drift'],
  ...['users', 'organizations', 'keys', 'audit', 'doctor'],
  ...['login', 'send', 'tail', 'query', 'apply', 'diff', 'export'],
];

describe('The help of the command line', () => {
  it('lists every command and exits with 0', () => {
    const { code, stdout, stderr } = cli('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of COMMANDS) expect(stdout).toContain(`\n  ${command} `);
  });
});
