// Installs the packages of tools/ when a script first needs one of them. The root's own "npm ci" does not install them.
import { spawn } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export { importTool } from '../tools/import.mjs';

const folder = fileURLToPath(new URL('../tools', import.meta.url));
const LOCK_FILE = join(folder, 'package-lock.json');
/** npm writes this file at the end of an installation. It lists the installed packages. */
const INSTALLED_FILE = join(folder, 'node_modules', '.package-lock.json');
/** Exists while a process installs, and holds the id of that process. */
const INSTALLING_FILE = join(folder, '.installing');
const INSTALLING_POLL_INTERVAL_MS = 500;
/** An older file is left over from a killed process. Its id may belong to another process by now. */
const INSTALLING_TTL_MS = 15 * 60 * 1000;
const INSTALL = 'npm ci --ignore-scripts --include=optional --no-audit --no-fund --loglevel=error'.split(' ');

/** @returns {string} the path of a file of a package of tools/, such as `eslint/bin/eslint.js` */
export function toolPath(file) {
  return join(folder, 'node_modules', file);
}

/**
 * Makes sure that tools/node_modules has what tools/package-lock.json says. Processes that call this at the same time install once.
 * @throws {Error} with one sentence when the packages cannot be installed
 */
export async function ensureTools() {
  while (!isInstalled()) {
    if (isClaimed()) {
      await pause(INSTALLING_POLL_INTERVAL_MS);
      continue;
    }
    if (!claim()) continue;
    try {
      if (!isInstalled()) await install();
    } finally {
      rmSync(INSTALLING_FILE, { force: true });
    }
  }
}

/** Compares the packages themselves, because a clone, a copy or a cache changes the dates of files. */
function isInstalled() {
  if (!existsSync(INSTALLED_FILE)) return false;
  const [wanted, installed] = [LOCK_FILE, INSTALLED_FILE].map((file) => packagesIn(file));
  const isSame = (path) =>
    wanted[path]?.version === installed[path]?.version && wanted[path]?.integrity === installed[path]?.integrity;
  return (
    Object.keys(installed).every(isSame) &&
    // npm leaves out optional packages of other platforms.
    Object.keys(wanted).every((path) => isSame(path) || (wanted[path].optional === true && !(path in installed)))
  );
}

function packagesIn(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  delete packages[''];
  return packages;
}

/** @returns whether another process installs right now; removes the file of a process that has died */
function isClaimed() {
  const stats = statSync(INSTALLING_FILE, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (Date.now() - stats.mtimeMs < INSTALLING_TTL_MS && isRunning(Number(readFileSync(INSTALLING_FILE, 'utf8')))) {
    return true;
  }
  rmSync(INSTALLING_FILE, { force: true });
  return false;
}

function isRunning(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // The process belongs to another user: it cannot be signalled, but it runs.
    return error.code === 'EPERM';
  }
}

/** @returns whether this process is now the one that installs */
function claim() {
  try {
    const file = openSync(INSTALLING_FILE, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new Error(`The packages of tools/ cannot be installed: this user may not write into ${folder}.`);
  }
}

async function install() {
  accessOrThrow();
  const count = Object.values(packagesIn(LOCK_FILE)).filter(({ optional }) => optional !== true).length;
  console.log(
    `Installing the ${count} packages of tools/ (linters and generators), once for each version of its lock file.`,
  );
  const { code, output } = await run(INSTALL);
  if (code !== 0) {
    const reason = output.split('\n').find((line) => /^npm error(?! code)/.test(line)) ?? `exit code ${code}`;
    throw new Error(`"npm ci" in tools/ failed: ${reason.replace(/^npm error\s*/, '').trim()}`);
  }
}

function accessOrThrow() {
  const modules = join(folder, 'node_modules');
  try {
    if (existsSync(modules)) accessSync(modules, constants.W_OK);
  } catch {
    throw new Error(`The packages of tools/ cannot be installed: this user may not write into ${modules}.`);
  }
}

/** Runs npm without the variables that an outer npm sets for its scripts. */
function run([command, ...words]) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_/.test(name)),
  );
  const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, output: `npm error ${error.message}` }));
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
