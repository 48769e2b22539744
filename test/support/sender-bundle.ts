import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const SENDER = fileURLToPath(new URL('../../clients/typescript/src/sender/index.ts', import.meta.url));

/** Returns the event sender as its users ship it: one minified module. */
export function senderBundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [SENDER],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * Writes a program and the sender next to it, as `./sender.mjs`, and runs the function with the path of the program.
 */
export async function withProgram<T>(source: string, run: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'oes-sender-'));
  try {
    await writeFile(join(folder, 'sender.mjs'), senderBundle());
    const path = join(folder, 'program.mjs');
    await writeFile(path, source);
    return await run(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
