// Starts the built worker process on a database that other processes use too.
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { announced, stopped } from './processes.mjs';
import { newDataDir } from './service.mjs';

const WORKER = fileURLToPath(new URL('../dist/src/worker.js', import.meta.url));

/** Resolves when the worker has started. It then begins with its first rounds. */
export async function startWorker({ databaseUrl, env = {} }) {
  const dataDir = await newDataDir();
  const child = spawn(process.execPath, [WORKER], {
    env: { ...process.env, LOG_LEVEL: 'info', DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await announced(child, /"message":"(worker started)"/);
  return {
    pid: child.pid,
    stop: async () => {
      await stopped(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
