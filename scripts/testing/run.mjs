// Builds the service and runs Jest. "npm test" and "npm run test:deep" share this code. The last line is "N passed, N
// failed"; with TEST_SUMMARY_FILE set, that file gets a line "N N" instead.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants as osConstants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazyOptimizer } from '../../test/support/lazy-optimizer.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {string[]} words arguments of Jest
 * @param {Record<string, string>} env further environment of Jest
 * @returns {Promise<number>} the exit code
 */
export async function runTests(words, env = {}) {
  for (const script of ['scripts/build.mjs', 'scripts/client.mjs']) {
    const made = spawnSync(process.execPath, [script, '--if-needed'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (made.status !== 0) return finish({ passed: 0, failed: 1 }, 1);
  }

  const folder = mkdtempSync(join(tmpdir(), 'oes-summary-'));
  const file = join(folder, 'summary.json');
  try {
    const code = await runJest(words, { ...env, SUMMARY_REPORT_FILE: file });
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 0 };
    // Jest can also fail without a failed test: no test found, a broken setup, a crash.
    if (code !== 0) counts.failed = Math.max(counts.failed, 1);
    return finish(counts, code !== 0 || counts.failed === 0 ? code : 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function finish({ passed, failed }, code) {
  const file = process.env.TEST_SUMMARY_FILE;
  if (file) appendFileSync(file, `${passed} ${failed}\n`);
  else console.log(`${passed} passed, ${failed} failed`);
  return code;
}

/** Resolves with the exit code. An interrupt also reaches Jest, and its servers end with it. */
function runJest(words, env) {
  // The reporters come after the caller's arguments, because Jest takes further words after them for reporters.
  const reporters = ['--reporters=default', `--reporters=${join(root, 'test', 'support', 'summary-reporter.mjs')}`];
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', lazyOptimizer(4)];
  const child = spawn(process.execPath, [...flags, jest, ...words, ...reporters], {
    cwd: root,
    // Jest reads the keys of --watch from the terminal.
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (osConstants.signals[signal] ?? 0)));
  });
}
