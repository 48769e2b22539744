// Starts and stops the processes that are measured, and computes medians.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a script of this folder, with this Node or another. The script writes `{"url": …}` when it listens. */
export async function startProcess(script, { env = {}, cwd, node = process.execPath } = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(node, [path], {
    cwd,
    env: { ...process.env, PORT: '0', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await announced(child, /"url": ?"(http:[^"]+)"/);
  return { url, pid: child.pid, stop: () => stopped(child) };
}

/**
 * Resolves to the first group of `pattern` in the output of the process. Reading continues afterwards, so that the
 * process never waits for a full pipe.
 */
export function announced(child, pattern) {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-20_000);
      const found = pattern.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`a process ended with ${code} before it was ready:\n${output}`)));
  });
}

/** Stops the process with SIGTERM, and waits until it has ended. */
export async function stopped(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
