import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** With a database that nobody has: whoever goes on to it ends otherwise. */
function cli(...words: string[]): { readonly code: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/cli.js', ...words], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: 'no address' },
  });
  return { code: status, stdout, stderr };
}

describe('A command that is mistyped', () => {
  it.each<[string, string[], string]>([
    ['an option of another name', ['migrate', '--event-stor'], 'migrate [--event-store [--restored]]'],
    [
      'one of another name behind a right one',
      ['migrate', '--event-store', '--restore'],
      'migrate [--event-store [--restored]]',
    ],
    ['an option without the one that it belongs to', ['migrate', '--restored'], 'migrate [--event-store [--restored]]'],
    ['an option of another command', ['generate', '--restored'], 'generate [--check]'],
    ['an option where there is none', ['drift', '--check'], 'drift'],
    ['a command that is none', ['toString'], 'migrate | demo | generate | drift'],
  ])('is refused in one line before anything is done: %s', (_, words, usage) => {
    expect(cli(...words)).toEqual({ code: 2, stdout: '', stderr: `Usage: cli.js ${usage}\n` });
  });

  it('is told from one that is right', () => {
    for (const words of [['migrate'], ['migrate', '--restored', '--event-store']]) {
      expect(cli(...words)).toMatchObject({ code: 78, stderr: expect.stringContaining('DATABASE_URL') as unknown });
    }
  });
});
