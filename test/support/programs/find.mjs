// Finds the programs that tests need beyond npm packages. As root on Debian it installs what is missing.
import { execFile } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A program is at the path in `variable`, at `usual`, or on PATH, where its `alternative` serves as well.
 * `debianPackages` contain it. `megabytes` are named while many of them are installed.
 */
export const REDIS = { program: 'redis-server', variable: 'TEST_REDIS_SERVER', debianPackages: ['redis-server'] };
/** The shell without windows draws the same pages in half of the processor time. */
export const CHROMIUM = {
  program: 'chromium-headless-shell',
  alternative: 'chromium',
  variable: 'TEST_CHROMIUM',
  debianPackages: ['chromium-headless-shell'],
};
/** Only the whole browser has notifications. */
export const WHOLE_CHROMIUM = {
  program: 'chromium',
  variable: 'TEST_WHOLE_CHROMIUM',
  debianPackages: ['chromium'],
};
export const ALERTMANAGER = {
  program: 'prometheus-alertmanager',
  variable: 'TEST_ALERTMANAGER',
  debianPackages: ['prometheus-alertmanager'],
};

export const KUBECTL = { program: 'kubectl', variable: 'TEST_KUBECTL', debianPackages: ['kubernetes-client'] };
export const PROMTOOL = { program: 'promtool', variable: 'TEST_PROMTOOL', debianPackages: ['prometheus'] };
export const PROMETHEUS = { program: 'prometheus', variable: 'TEST_PROMETHEUS', debianPackages: ['prometheus'] };

/** Version managers put slow wrappers on PATH, so Debian's Python is used where it exists. */
export const PYTHON = {
  program: 'python3',
  variable: 'TEST_PYTHON',
  usual: '/usr/bin/python3',
  debianPackages: ['python3'],
};
export const PYTHON_BUILD = {
  program: 'pyproject-build',
  variable: 'TEST_PYTHON_BUILD',
  usual: '/usr/bin/pyproject-build',
  debianPackages: ['python3-build', 'python3-setuptools', 'python3-wheel'],
};
/** A server with `initdb`, `pg_dump` and `pg_basebackup` next to it. Debian keeps them out of PATH, by version. */
export const PG_CTL = {
  program: 'pg_ctl',
  variable: 'TEST_PG_CTL',
  debianFolder: '/usr/lib/postgresql',
  debianPackages: ['postgresql'],
  megabytes: 60,
};
export const JAVAC = {
  program: 'javac',
  variable: 'TEST_JAVAC',
  debianPackages: ['default-jdk-headless'],
  megabytes: 200,
};
export const GO = { program: 'go', variable: 'TEST_GO', debianPackages: ['golang-go'], megabytes: 470 };

/** apt-get takes one lock, so installations run one after another. */
let installing = Promise.resolve();

/**
 * `debianFolder` has a folder for each version, of which the newest is used.
 *
 * @param {{ program: string, alternative?: string, variable: string, usual?: string, debianFolder?: string, debianPackages: string[], megabytes?: number }} wanted
 * @param {{ install?: boolean }} options `install`: whether to install a program that is missing
 * @returns {Promise<string>} the path of the program
 * @throws {Error} whose message says what is missing and how to install it
 */
export async function findProgram(wanted, { install = true } = {}) {
  const found = pathOf(wanted);
  if (found !== null) return found;
  if (install && process.getuid?.() === 0 && pathOf({ program: 'apt-get' }) !== null) {
    installing = installing.then(() => (pathOf(wanted) === null ? installPackages(wanted) : undefined));
    await installing;
    const installed = pathOf(wanted);
    if (installed !== null) return installed;
  }
  throw new Error(
    `${wanted.program} is missing: set ${wanted.variable} to its path, or run "apt-get install ${wanted.debianPackages.join(' ')}" as root.`,
  );
}

function pathOf({ program, alternative, variable, usual, debianFolder }) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const chosen = variable === undefined ? undefined : process.env[variable];
  const paths = chosen
    ? [chosen]
    : [
        ...(usual === undefined ? [] : [usual]),
        ...(debianFolder === undefined ? [] : versionsIn(debianFolder).map((version) => join(version, 'bin', program))),
        ...folders.map((folder) => join(folder, program)),
        ...(alternative === undefined ? [] : folders.map((folder) => join(folder, alternative))),
      ];
  return paths.find(isExecutable) ?? null;
}

/** Returns the folders of the versions, the newest first. */
function versionsIn(folder) {
  try {
    const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(folder, version));
  } catch {
    return [];
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reports a failure; the caller then searches for the program again. Run level 1 keeps a package from starting its
 * service.
 */
async function installPackages({ debianPackages, megabytes }) {
  const size = megabytes === undefined ? '' : ` (${megabytes} MB)`;
  process.stderr.write(`Installing from Debian for the tests: ${debianPackages.join(' ')}${size} ...\n`);
  try {
    await aptGet('update');
    await aptGet('install', '-y', '--no-install-recommends', ...debianPackages);
  } catch (error) {
    process.stderr.write(`apt-get failed: ${`${error.stderr ?? ''}`.trim() || error.message}\n`);
  }
}

function aptGet(...words) {
  return run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-q', ...words], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    maxBuffer: 16 * 1_024 * 1_024,
  });
}
