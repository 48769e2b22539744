import { expect } from '@jest/globals';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  EmbeddedDatabaseError,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/index.js';
import { waitUntilGone } from '../../src/embedded-postgres/processes.js';
import { HANG_TIMEOUT_MS } from './bounds.mjs';

export const isRoot = process.getuid?.() === 0;

export const cleanups: (() => Promise<unknown>)[] = [];

/** For `afterEach`: undoes what the functions below and the test itself left, the latest first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** A folder the database's user can pass. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oes-embedded-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  return folder;
}

let made: Promise<string> | undefined;

/** A folder in which a database has been before: a copy of one that is made once, which takes less than making each. */
export async function folderWithDatabase(): Promise<string> {
  const original = await (made ??= makeDatabase());
  const folder = await temporaryFolder();
  // With owners and rights, which matter to PostgreSQL.
  await promisify(execFile)('cp', ['-a', `${original}/.`, folder]);
  return folder;
}

async function makeDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oes-embedded-'));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, dataDirIsDefault: false, durable: false });
  await postgres.stop();
  return folder;
}

/** For `afterAll`. */
export async function removeMadeDatabase(): Promise<void> {
  if (made !== undefined) await rm(await made, { recursive: true, force: true });
  made = undefined;
}

export async function start(
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, dataDirIsDefault: false, durable: false, ...options });
  cleanups.push(() => postgres.stop());
  return postgres;
}

/** The message of the refusal; fails when the start succeeds or fails in another way. */
export async function refusal(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<string> {
  const outcome = await start(dataDir, options).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(EmbeddedDatabaseError);
  return outcome instanceof Error ? outcome.message : '';
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows }: { rows: unknown[] } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** A service in a process of its own, leading its own process group; it ignores an interrupt. */
export async function startService(
  dataDir: string,
): Promise<{ child: ChildProcess; postgres: Pick<EmbeddedPostgres, 'pid' | 'url'> }> {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../../dist/src/embedded-postgres/index.js', import.meta.url).href)};
    process.on('SIGINT', () => {});
    const { pid, url } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, dataDirIsDefault: false, durable: false });
    console.log(JSON.stringify({ pid, url }));
    setInterval(() => {}, 60_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  cleanups.push(() => killHard(child));
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const postgres = JSON.parse(line) as Pick<EmbeddedPostgres, 'pid' | 'url'>;
  cleanups.push(async () => {
    await killHard(child);
    // It ends with the service, but a moment later, and would write into the folder that is removed next.
    await waitUntilGone(postgres.pid, HANG_TIMEOUT_MS);
  });
  return { child, postgres };
}

export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Where the system tells what a process runs; elsewhere at once. */
async function untilProgramIs(name: string, pid: number): Promise<void> {
  const program = (): Promise<string> => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => name);
  while ((await program()).trim() !== name) await delay(5);
}

/** A child that has ended and whose parent does not ask for it. */
export async function makeZombie(): Promise<number> {
  // The shell that started the child would ask for it: the child ends only when another program stands in its place.
  const script = 'cat <&3 & exec sh -c "echo $!; exec sleep 600" 3<&-';
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  cleanups.push(() => killHard(parent));
  const [, output, , input] = parent.stdio as unknown as [null, Readable, null, Writable];
  const [line] = (await once(output.setEncoding('utf8'), 'data')) as [string];
  const pid = Number(line);
  await untilProgramIs('sleep', parent.pid ?? 0);
  input.end();
  expect(await waitUntilGone(pid, HANG_TIMEOUT_MS)).toBe(true);
  // Still known to the system, or it would be just a dead process.
  expect(process.kill(pid, 0)).toBe(true);
  return pid;
}

export async function serverIsReady(data: string, pid: number): Promise<void> {
  const deadline = Date.now() + HANG_TIMEOUT_MS;
  for (;;) {
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (lines[0] === String(pid) && lines[7]?.trim() === 'ready') return;
    if (Date.now() > deadline) throw new Error('the server did not get ready');
    await delay(20);
  }
}
