// Compiles src/ and migrations/ into dist/, and makes the console. With --if-needed it does nothing while dist/.built is newer than
// its sources, and leaves the types unchecked, which "npm run build" and "npm run check" look at. With --service it leaves the
// console out.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built');
const SOURCES = ['src', 'migrations'];

/** Every file and folder below; folders count too since a deleted file changes only theirs. */
function walk(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path).flatMap((name) => walk(join(path, name)))];
}

function inputs() {
  const settings = readdirSync(root).filter((name) => /^tsconfig.*\.json$|^package-lock\.json$/.test(name));
  return [...SOURCES, ...settings].flatMap((name) => walk(join(root, name)));
}

function isUpToDate() {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  return inputs().every((path) => statSync(path).mtimeMs < built);
}

function outputOf(source) {
  return join(root, 'dist', source.slice(root.length).replace(/\.ts$/, '.js'));
}

function compiledSources() {
  const sources = SOURCES.flatMap((name) => walk(join(root, name)));
  return sources.filter((path) => path.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(path));
}

/** The compiler's memory of an earlier run makes it skip files whose output somebody has deleted since. */
function forgetLostOutputs() {
  if (compiledSources().some((path) => !existsSync(outputOf(path)))) {
    rmSync(join(root, 'dist', '.tsbuildinfo'), { force: true });
  }
}

/** The output of a deleted source would still be found by an import. */
function removeOrphans() {
  const expected = new Set(compiledSources().flatMap((path) => [outputOf(path), `${outputOf(path)}.map`]));
  for (const path of SOURCES.flatMap((name) => walk(join(root, 'dist', name)))) {
    if (/\.js(\.map)?$/.test(path) && !expected.has(path)) rmSync(path);
  }
}

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** Without sources or a compiler dist/ came ready made; its dates say nothing. */
function cameBuilt() {
  return existsSync(join(root, 'dist', 'src', 'main.js')) && !(existsSync(join(root, 'src')) && existsSync(compiler));
}

const ifNeeded = process.argv.includes('--if-needed');
if (ifNeeded && cameBuilt()) process.exit(0);
const made = await Promise.all([
  !ifNeeded || !isUpToDate() ? compile() : true,
  process.argv.includes('--service') || run(join(root, 'scripts', 'console.mjs')),
]);
if (made.includes(false)) process.exit(1);

/** @returns whether the script has ended well */
function run(script, ...words) {
  const child = spawn(process.execPath, [script, ...words], { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

/** @returns whether dist/ is what the sources say */
async function compile() {
  if (!existsSync(compiler)) {
    console.error(
      'The TypeScript compiler is not installed: run "npm ci --include=dev" first, or bring a dist/ that is built.',
    );
    return false;
  }
  const startedAt = new Date();
  rmSync(stamp, { force: true });
  forgetLostOutputs();
  if (!(await run(compiler, '-p', 'tsconfig.build.json', ...(ifNeeded ? ['--noCheck'] : [])))) return false;
  removeOrphans();
  writeFileSync(stamp, '');
  // What was changed while the compiler ran is newer than the stamp.
  utimesSync(stamp, startedAt, startedAt);
  return true;
}
