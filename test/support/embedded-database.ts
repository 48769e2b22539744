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
import { runMigrations } from '../../src/platform/database/migrate.js';
import { HANG_TIMEOUT_MS } from './bounds.mjs';

export const isRoot = process.getuid?.() === 0;

export const cleanups: (() => Promise<unknown>)[] = [];

/** For `afterEach`: undoes the changes of the functions below and of the test itself, the latest first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** Creates a folder that the database's user can enter. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oes-embedded-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  return folder;
}

const made = new Map<boolean, Promise<string>>();

/**
 * Returns a folder in which a database has run before. It is a copy of one that is created once, which is faster.
 * @param isMigrated whether the database has the tables of the service
 */
export async function folderWithDatabase({ isMigrated = false } = {}): Promise<string> {
  const original = await (made.get(isMigrated) ?? makeDatabase(isMigrated));
  const folder = await temporaryFolder();
  // Owners and permissions are copied too, because PostgreSQL checks them.
  await promisify(execFile)('cp', ['-a', `${original}/.`, folder]);
  return folder;
}

function makeDatabase(isMigrated: boolean): Promise<string> {
  const folder = createDatabaseFolder(isMigrated);
  made.set(isMigrated, folder);
  return folder;
}

async function createDatabaseFolder(isMigrated: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oes-embedded-'));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, dataDirIsDefault: false, durable: false });
  if (isMigrated) await runMigrations(postgres.url);
  await postgres.stop();
  return folder;
}

/** For `afterAll`: removes the original databases. */
export async function removeMadeDatabase(): Promise<void> {
  for (const folder of made.values()) await rm(await folder, { recursive: true, force: true });
  made.clear();
}

export async function start(
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, dataDirIsDefault: false, durable: false, ...options });
  cleanups.push(() => postgres.stop());
  return postgres;
}

/** Returns the message of the refusal. Fails when the start succeeds or fails in another way. */
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

/** Starts a service in a process of its own, which leads its own process group and ignores an interrupt. */
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
    // PostgreSQL ends a moment after the service, and would write into the folder that is removed next.
    await waitUntilGone(postgres.pid, HANG_TIMEOUT_MS);
  });
  return { child, postgres };
}

export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Waits until the process runs the program. Returns at once on systems without /proc. */
async function untilProgramIs(name: string, pid: number): Promise<void> {
  const program = (): Promise<string> => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => name);
  while ((await program()).trim() !== name) await delay(5);
}

/** Creates a child process that has ended and whose parent does not wait for it. */
export async function makeZombie(): Promise<number> {
  // The shell that started the child would reap it, so the child ends only after another program has replaced the
  // shell.
  const script = 'cat <&3 & exec sh -c "echo $!; exec sleep 600" 3<&-';
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  cleanups.push(() => killHard(parent));
  const [, output, , input] = parent.stdio as unknown as [null, Readable, null, Writable];
  const [line] = (await once(output.setEncoding('utf8'), 'data')) as [string];
  const pid = Number(line);
  await untilProgramIs('sleep', parent.pid ?? 0);
  input.end();
  expect(await waitUntilGone(pid, HANG_TIMEOUT_MS)).toBe(true);
  // The system still lists the process; otherwise it would be a dead process and not a zombie.
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
