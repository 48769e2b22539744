import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StandardOutput } from './standard-output.js';

const MIB = 1024 * 1024;
const LINE = `${'x'.repeat(1_023)}\n`;

describe('the output of log lines', () => {
  /** The pipes stay open until the end, so that no output writes into the pipe of a later test. */
  const pipes: number[] = [];
  let folder: string;
  let pipe: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oes-output-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
    pipes.push(pipe);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(() => pipes.forEach((each) => closeSync(each)));

  /** Returns the text in the pipe, or an empty text when there is none. */
  function read(): string {
    const bytes = Buffer.alloc(MIB);
    try {
      return bytes.toString('utf8', 0, readSync(pipe, bytes));
    } catch {
      return '';
    }
  }

  async function readUntil(text: string): Promise<string> {
    let all = '';
    for (; !all.includes(text); all += read()) await pause(1);
    return all;
  }

  it('takes lines that nobody reads, drops what is beyond 4 MiB and says how many lines that were', async () => {
    const output = new StandardOutput(pipe);
    for (let line = 0; line < 6 * 1_024; line += 1) output.write(LINE);
    const lines = (await readUntil('were dropped')).split('\n');
    const told = JSON.parse(lines.find((line) => line.startsWith('{')) ?? '') as { level: string; dropped: number };
    expect(told.level).toBe('warn');
    expect(lines.filter((line) => `${line}\n` === LINE)).toHaveLength(6 * 1_024 - told.dropped);
    expect(told.dropped).toBeGreaterThan(1_024);
    expect(told.dropped).toBeLessThan(3 * 1_024);
  });

  it('writes each line once, and in order, when the process ends while its reader is slow', async () => {
    const output = new StandardOutput(pipe);
    for (let line = 0; line < 1_000; line += 1) output.write(`${line} ${LINE}`);
    const before = await readUntil('10 x');
    output.end();
    const lines = (before + (await readUntil('\n'))).split('\n').filter((line) => line.endsWith('x'));
    expect(lines.map((line) => Number.parseInt(line))).toEqual([...lines.keys()]);
  });

  it('resolves a write that waits for its reader when all of its lines are written', async () => {
    const output = new StandardOutput(pipe);
    let isWritten = false;
    const written = output.writeAll(LINE.repeat(1_024)).then(() => (isWritten = true));
    output.write('last\n');
    await pause(1);
    expect(isWritten).toBe(false);
    const all = await readUntil('last');
    await written;
    expect(all).toBe(`${LINE.repeat(1_024)}last\n`);
  });

  it('rejects a write that may have failed, and one for which the waiting lines leave no room', async () => {
    const full = openSync('/dev/full', constants.O_WRONLY);
    await expect(new StandardOutput(full).writeAll('a\n')).rejects.toThrow('ENOSPC');
    closeSync(full);
    const output = new StandardOutput(pipe);
    output.write(LINE.repeat(3 * 1_024));
    await expect(output.writeAll(LINE.repeat(2 * 1_024))).rejects.toThrow('standard output is not read');
  });

  it.each(['a reader that is gone', 'a full disk'])('goes on without %s, and ends', (what) => {
    const fd = what === 'a full disk' ? openSync('/dev/full', constants.O_WRONLY) : endedPipe();
    const output = new StandardOutput(fd);
    output.write('a\n');
    output.write('b\n');
    output.end();
    closeSync(fd);
  });

  /** Returns the writing end of a pipe whose reading end is closed. */
  function endedPipe(): number {
    const path = join(folder, 'ended');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    closeSync(reader);
    return writer;
  }
});
