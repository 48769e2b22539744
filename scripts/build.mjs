// Compiles src/ and migrations/ into dist/, copies the files of the documentation pages, renders the help of the console
// and builds the console. With --if-needed it skips outputs that are up to date and does not check the types. With
// --service it leaves the console out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isConsoleBuilt } from './console.mjs';
import { Transpiled } from './dev/transpile.mjs';
import { buildHelp, isHelpBuilt } from './help.mjs';
import { arePagesCopied, copyPages } from './pages.mjs';
import { step } from './progress.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const service = new Transpiled(root, dist);
/** The modification time of this file is the time of the last change of dist/. */
const stamp = join(dist, '.built');
/** A change of one of these files changes every output. */
const SETTINGS = ['package-lock.json', 'scripts/build.mjs', 'scripts/pages.mjs', 'scripts/dev/transpile.mjs'];
const compiler = join(root, 'node_modules', '@swc', 'core');

const ifNeeded = process.argv.includes('--if-needed');
const withoutConsole = process.argv.includes('--service');

if (!ifNeeded || !cameBuilt()) await buildOrExit();

/** Without sources or without a compiler, dist/ was built elsewhere. */
function cameBuilt() {
  return existsSync(join(dist, 'src', 'main.js')) && !(existsSync(join(root, 'src')) && existsSync(compiler));
}

async function buildOrExit() {
  try {
    if (!existsSync(compiler)) {
      throw new Error(
        'The compiler is not installed: run "npm ci --include=dev" first, or bring a dist/ that is built.',
      );
    }
    await build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

async function build() {
  const isOutdated = !ifNeeded || areSettingsNewer();
  if (isOutdated || !arePagesCopied() || !service.isUpToDate()) {
    await step('Compiling the service', () => compile(isOutdated));
  }
  if (!isHelpBuilt()) await buildHelp();
  if (!withoutConsole && !isConsoleBuilt()) {
    await step('Building the console', () => run('scripts/console.mjs'));
  }
  if (!ifNeeded) await step('Checking the types', checkTypes);
}

function areSettingsNewer() {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SETTINGS.some((name) => statSync(join(root, name)).mtimeMs >= built);
}

async function compile(isOutdated) {
  const startedAt = new Date();
  rmSync(stamp, { force: true });
  await (isOutdated ? service.compileAll() : service.compileChanged());
  copyPages();
  writeFileSync(stamp, '');
  // A setting that changed while the compiler ran is newer than the stamp.
  utimesSync(stamp, startedAt, startedAt);
}

function checkTypes() {
  const isPretty = process.stdout.isTTY === true;
  return run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noEmit', '--pretty', String(isPretty));
}

/** Runs a script and returns what it printed. Throws what it printed when it fails. */
async function run(...words) {
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(output);
  return output;
}
