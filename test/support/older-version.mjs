// Builds an older version of the service from the history of the repository, with the packages of today.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Transpiled } from '../../scripts/dev/transpile.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the commit before the one that added a file, or null in a clone without this history.
 *
 * @param {string} path
 * @returns {Promise<string | null>}
 */
export async function commitBefore(path) {
  try {
    const { stdout } = await git('log', '--diff-filter=A', '--format=%H', '-1', '--', path);
    const { stdout: parent } = await git('rev-parse', '--verify', '--quiet', `${stdout.trim()}^`);
    return parent.trim();
  } catch {
    return null;
  }
}

/**
 * Builds a commit below `dist`, where it finds the packages of the repository, unless it is built.
 *
 * @param {string} commit
 * @returns {Promise<string>} the path of its program
 */
export async function builtVersion(commit) {
  const folder = join(ROOT, 'dist', `version-${commit.slice(0, 12)}`);
  if (!existsSync(folder)) {
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    const draft = mkdtempSync(join(ROOT, 'dist', 'draft-version-'));
    try {
      const archive = join(draft, 'sources.tar');
      await git('archive', `--output=${archive}`, commit, 'src', 'migrations', 'package.json');
      await run('tar', ['-xf', archive, '-C', draft]);
      await new Transpiled(draft, join(draft, 'dist')).compileAll();
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return join(folder, 'dist', 'src', 'main.js');
}

function git(...words) {
  return run('git', words, { cwd: ROOT });
}
