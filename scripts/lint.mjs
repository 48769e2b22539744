// npm run lint: ESLint on the whole tree, or on the paths that are given. Further arguments go to ESLint, such as --fix.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cachePath } from './check/cache.mjs';
import { ensureTools, toolPath } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const hasPath = words.some((word, index) => !word.startsWith('-') && words[index - 1] !== '--max-warnings');

try {
  await ensureTools();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// Results are kept by the content of a file. A changed type can make a fault in a file that has not changed: only a run
// without cache finds it, as CI makes it.
const cache = cachePath('lint.json');
const cached = cache === null ? [] : ['--cache', '--cache-strategy', 'content', '--cache-location', cache];
const { status } = spawnSync(
  process.execPath,
  [toolPath('eslint/bin/eslint.js'), '-c', 'tools/eslint.config.mjs', ...cached, ...words, ...(hasPath ? [] : ['.'])],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
