import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const SCRIPTS = fileURLToPath(new URL('../../scripts/', import.meta.url));

describe('npm start where no compiler is installed', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-start-'));
    await cp(SCRIPTS, join(folder, 'scripts'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = (): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, ['scripts/start.mjs'], { cwd: folder });

  it('says that it needs one when there is nothing to start', async () => {
    await expect(start()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('npm ci') as unknown });
  });

  it('starts what came built, with its sources or without them', async () => {
    await mkdir(join(folder, 'dist', 'src'), { recursive: true });
    await writeFile(join(folder, 'dist', 'src', 'main.js'), 'console.log("started")');
    expect((await start()).stdout).toBe('started\n');
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src', 'main.ts'), '');
    expect((await start()).stdout).toBe('started\n');
  });
});
