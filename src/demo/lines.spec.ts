import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DemoError } from './demo-error.js';
import { countEventLines, readEventLines } from './lines.js';

describe('readEventLines', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-lines-'));
    file = join(folder, 'events.ndjson');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function read(content: string | Buffer): Promise<unknown[]> {
    await writeFile(file, content);
    const found: unknown[] = [];
    for await (const line of readEventLines(file)) found.push(line);
    expect(await countEventLines(file)).toBe(found.length);
    return found;
  }

  it('counts blank lines and skips them', async () => {
    expect(await read('\n{"a":1}\r\n   \n\n{"a":2}')).toEqual([
      { line: 2, body: '{"a":1}' },
      { line: 5, body: '{"a":2}' },
    ]);
  });

  it('leaves a body as it is written', async () => {
    expect(await read('{"a": 1.0, "a": 12345678901234567890}\n')).toEqual([
      { line: 1, body: '{"a": 1.0, "a": 12345678901234567890}' },
    ]);
  });

  it('takes no other separator for the end of a line', async () => {
    expect(await read('{"a":"x\u2028y\u2029z"}\n')).toEqual([{ line: 1, body: '{"a":"x\u2028y\u2029z"}' }]);
  });

  it('names the lines that are no JSON', async () => {
    expect(await read('{"a":1}\nnot json\n{"a":2}\n')).toEqual([
      { line: 1, body: '{"a":1}' },
      { line: 2, fault: expect.stringContaining('not JSON') },
      { line: 3, body: '{"a":2}' },
    ]);
  });

  it('lets a broken character spoil its own line only', async () => {
    const broken = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{"a":"ü"}\n')]);
    expect(await read(broken)).toEqual([
      { line: 1, fault: 'not UTF-8' },
      { line: 2, body: '{"a":"ü"}' },
    ]);
  });

  it('skips a byte order mark at the start', async () => {
    expect(await read('\uFEFF{"a":1}\n')).toEqual([{ line: 1, body: '{"a":1}' }]);
  });

  it('puts lines together that are longer than one read', async () => {
    const long = JSON.stringify({ text: 'é'.repeat(200_000) });
    expect(await read(`${long}\n{"a":1}\n${long}`)).toEqual([
      { line: 1, body: long },
      { line: 2, body: '{"a":1}' },
      { line: 3, body: long },
    ]);
  });

  it('says which file cannot be read', async () => {
    await expect(countEventLines(join(folder, 'absent'))).rejects.toThrow(DemoError);
    await expect(countEventLines(folder)).rejects.toThrow(folder);
  });
});
