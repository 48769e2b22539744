// npm run format: formats all files, or the given paths, with Prettier. With --check it only names the files that it
// would change.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cachePath } from './check/cache.mjs';
import { ensureTools, toolPath } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const FORMATTED = [
  'src',
  'test',
  'lint',
  'migrations',
  'scripts',
  'bench',
  'clients/**/*.ts',
  'console/**/*.{ts,tsx,css,mjs}',
  'docs/receivers',
  'tools/*.{mjs,cjs}',
  '*.mjs',
];

const isCheck = process.argv.includes('--check');
const paths = process.argv.slice(2).filter((word) => !word.startsWith('--'));
try {
  await ensureTools();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const cache = cachePath('format.json');
const cached = cache === null ? [] : ['--cache', '--cache-strategy', 'content', '--cache-location', cache];
const options = ['--no-error-on-unmatched-pattern', '--log-level', 'warn', isCheck ? '--check' : '--write', ...cached];
const { status } = spawnSync(
  process.execPath,
  [toolPath('prettier/bin/prettier.cjs'), ...options, ...(paths.length > 0 ? paths : FORMATTED)],
  { cwd: root, stdio: 'inherit' },
);
if (isCheck && status === 1) console.error('Run "npm run format" to format these files.');
process.exitCode = status ?? 1;
