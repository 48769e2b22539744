// The deep areas of the test suite, their files, and the suites that a change concerns. test/deep/areas.json has the
// sources of each area.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const { everyArea, ...SOURCES } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../test/deep/areas.json', import.meta.url)), 'utf8'),
);
/**
 * The area of properties also runs every file whose number of runs PROPERTY_RUNS raises, in whatever folder the file
 * is.
 */
const PROPERTY_RUNS = /property-runs\.js|\b(?:EQL|INSIGHT)_RUNS\b/;
const HELPERS = 'test/support/';

export const AREAS = Object.keys(SOURCES);

/** @returns {string[]} the spec files of the areas, relative to the root */
export function filesOf(root, areas) {
  return areas.flatMap((area) => [
    ...specsBelow(root, `test/deep/${area}`),
    ...(area === 'properties'
      ? ['src', 'test'].flatMap((folder) => specsBelow(root, folder)).filter((path) => hasLargeRuns(root, path))
      : []),
  ]);
}

function specsBelow(root, folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter(({ name }) => name.endsWith('.spec.ts'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length))
    .sort();
}

function hasLargeRuns(root, path) {
  return !path.startsWith('test/deep/') && PROPERTY_RUNS.test(readFileSync(join(root, path), 'utf8'));
}

/**
 * Returns the deep suites that a change concerns: all of an area whose sources differ from the merge base with
 * origin/main, suites that differ themselves, and suites that import a helper that differs. In a clone at that base
 * the commits of the last 24 hours count instead.
 * @returns {{ areas: string[], files: string[], since: string }} areas whose sources changed, and all files to run
 */
export function changedSuites(root) {
  const git = (...words) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { paths, since } = changedPaths(git);
  const helpers = paths.filter((path) => path.startsWith(HELPERS) && existsSync(join(root, path)));
  const touched = [...paths, ...suitesThatImport(root, helpers)];
  const areas = areasOf(paths);
  const inAreas = filesOf(root, areas);
  return {
    areas,
    since,
    files: filesOf(root, AREAS).filter((file) => inAreas.includes(file) || touched.includes(file)),
  };
}

/** @returns {string[]} the areas that have one of the paths among their sources */
export function areasOf(paths) {
  const isBelow = (path, sources) => sources.some((source) => path.startsWith(source));
  if (paths.some((path) => isBelow(path, everyArea))) return AREAS;
  return AREAS.filter((area) => paths.some((path) => isBelow(path, SOURCES[area])));
}

/** @returns {string[]} the spec files that import one of the helpers, directly or through another one */
export function suitesThatImport(root, helpers) {
  if (helpers.length === 0) return [];
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const words = ['--experimental-vm-modules', jest, '--listTests', '--findRelatedTests', ...helpers];
  const env = { ...process.env, TEST_TIER: 'deep' };
  const options = { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  return lines(execFileSync(process.execPath, words, options)).map((path) => relative(root, path));
}

function changedPaths(git) {
  try {
    const base = git('merge-base', 'HEAD', 'origin/main').trim();
    const paths = lines(git('diff', '--name-only', '--no-renames', base));
    if (paths.length > 0) return { paths, since: 'since origin/main' };
  } catch {
    // A clone without a remote has no origin/main. Its recent commits are a good substitute.
  }
  const paths = lines(git('log', '--since=24 hours ago', '--name-only', '--no-renames', '--format='));
  return { paths: [...new Set(paths)], since: 'in the last 24 hours' };
}

function lines(text) {
  return text.split('\n').filter((line) => line !== '');
}
