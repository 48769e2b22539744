// npm test: builds the service and the client's types, makes sure of the programs the tests need, runs Jest. Further arguments go to Jest.
// The last line is "N passed, N failed"; with TEST_SUMMARY_FILE set it goes into that file instead.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants as osConstants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazyOptimizer } from '../test/support/lazy-optimizer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the tests need beyond npm: a program on PATH or at the variable's path, and the Debian package that has it. */
const PROGRAMS = [
  { program: 'redis-server', variable: 'TEST_REDIS_SERVER', debianPackage: 'redis-server' },
  { program: 'oathtool', variable: 'TEST_OATHTOOL', debianPackage: 'oathtool' },
  { program: 'chromium', variable: 'TEST_CHROMIUM', debianPackage: 'chromium' },
];

process.exitCode = await main();

async function main() {
  for (const script of ['scripts/build.mjs', 'scripts/client.mjs']) {
    const made = spawnSync(process.execPath, [script, '--if-needed'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (made.status !== 0) return finish({ passed: 0, failed: 1 }, 1);
  }
  const missing = ensurePrograms();
  if (missing !== null) {
    console.error(missing);
    return finish({ passed: 0, failed: 1 }, 1);
  }

  const folder = mkdtempSync(join(tmpdir(), 'oes-summary-'));
  const file = join(folder, 'summary.json');
  try {
    const code = await runJest(file);
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 0 };
    // Jest can also fail without a failed test: nothing found, a broken setup, a crash.
    if (code !== 0) counts.failed = Math.max(counts.failed, 1);
    return finish(counts, code !== 0 || counts.failed === 0 ? code : 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function finish({ passed, failed }, code) {
  const file = process.env.TEST_SUMMARY_FILE;
  if (file) writeFileSync(file, `${passed} ${failed}\n`);
  else console.log(`${passed} passed, ${failed} failed`);
  return code;
}

/** Resolves with the exit code; an interrupt reaches Jest too, whose servers end with it. */
function runJest(summaryFile) {
  // Behind the caller's arguments: Jest takes the words after it for reporters too.
  const reporters = ['--reporters=default', `--reporters=${join(root, 'test', 'support', 'summary-reporter.mjs')}`];
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', lazyOptimizer(4)];
  const child = spawn(process.execPath, [...flags, jest, ...process.argv.slice(2), ...reporters], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SUMMARY_REPORT_FILE: summaryFile },
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

/** null when all are there, else one sentence for whoever runs the tests. */
function ensurePrograms() {
  const absent = PROGRAMS.filter((needed) => !isThere(needed));
  if (absent.length === 0) return null;
  const packages = absent.map((needed) => needed.debianPackage);
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    console.log(`Installing ${packages.join(', ')} for the tests ...`);
    aptGet('update');
    aptGet('install', '-y', '--no-install-recommends', ...packages);
  }
  const still = absent.filter((needed) => !isThere(needed));
  if (still.length === 0) return null;
  const names = still.map((needed) => `${needed.program} (or its path in ${needed.variable})`);
  return `The tests need ${names.join(' and ')}: install what is missing, on Debian with "apt-get install ${packages.join(' ')}" as root.`;
}

/** Output only when it fails; run level 1 keeps the package from starting its service. */
function aptGet(...words) {
  const result = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-q', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  if (result.status !== 0)
    console.error(`apt-get ${words[0]} failed: ${`${result.stderr ?? ''}`.trim() || result.error}`);
}

function isThere({ program, variable }) {
  const chosen = process.env[variable];
  return chosen ? isExecutable(chosen) : onPath(program);
}

function onPath(program) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && isExecutable(join(folder, program)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
