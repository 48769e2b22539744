// npm run lint: runs Oxlint with the rules that need types (.oxlintrc.json), then ESLint with all other rules
// (tools/eslint.config.mjs), on the whole tree or on the given paths. Options such as --fix go to both.
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachePath } from './check/cache.mjs';
import { ensureTools, toolPath } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const paths = process.argv.slice(2).filter((word) => !word.startsWith('-'));

try {
  await ensureTools();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// ESLint caches its results by the content of a file.
const cache = cachePath('lint.json');
const cached = cache === null ? [] : ['--cache', '--cache-strategy', 'content', '--cache-location', cache];
const config = ['-c', 'tools/eslint.config.mjs', '--max-warnings=0'];
const statuses = [
  // Oxlint finds tsgolint, which computes the types, on PATH.
  run(['oxlint/bin/oxlint', '--type-aware', ...options, ...paths], {
    PATH: `${toolPath('.bin')}${delimiter}${process.env.PATH}`,
  }),
  run(['eslint/bin/eslint.js', ...config, ...cached, ...options, ...(paths.length > 0 ? paths : ['.'])]),
];
process.exitCode = statuses.find((status) => status !== 0) ?? 0;

function run([program, ...words], env = {}) {
  const { status } = spawnSync(process.execPath, [toolPath(program), ...words], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return status ?? 1;
}
