// npm run check: everything that must hold beside the tests. All of it runs even when something fails;
// exits with 1 and the names of what failed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const AT_ONCE = Math.min(2, availableParallelism());
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
  '*.mjs',
  '.dependency-cruiser.cjs',
];
const DUPLICATES_LOOKED_FOR_IN = ['src', 'migrations', 'scripts', 'bench', 'clients', 'console'];

/** What comes before the lanes: they read the types of the client. */
const FIRST = [
  { name: 'build', run: () => node('scripts/build.mjs', '--if-needed') },
  { name: 'client', needs: 'build', run: () => node('scripts/client.mjs', '--if-needed') },
];

/** The steps of one lane run one after the other, since each needs what the former made or holds. */
const LANES = [
  [
    { name: 'generated artifacts', needs: 'build', run: () => node('dist/src/cli.js', 'generate', '--check') },
    { name: 'API documents', needs: 'build', run: () => node('scripts/lint-contract.mjs') },
    { name: 'migration drift', needs: 'build', run: () => node('dist/src/cli.js', 'drift') },
  ],
  [{ name: 'lint', run: () => node('node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0') }],
  [
    { name: 'types', run: () => node('node_modules/typescript/bin/tsc', '--noEmit') },
    {
      name: 'types of the client',
      run: () => node('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'clients/typescript'),
    },
    { name: 'types of the console', run: () => node('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console') },
  ],
  [{ name: 'documents', run: () => node('scripts/check-documents.mjs') }],
  [
    {
      name: 'format',
      run: () =>
        node('node_modules/prettier/bin/prettier.cjs', '--check', '--no-error-on-unmatched-pattern', ...FORMATTED),
    },
  ],
  [
    {
      name: 'dependency rules',
      run: () =>
        node(
          'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
          ...['--config', '.dependency-cruiser.cjs', '--output-type', 'err-long'],
          ...['src', 'migrations', 'test'],
        ),
    },
  ],
  [{ name: 'unused code', run: () => node('node_modules/knip/bin/knip.js', '--no-progress') }],
  [{ name: 'duplication', run: () => node('node_modules/jscpd/run-jscpd.js', ...DUPLICATES_LOOKED_FOR_IN) }],
  [{ name: 'lock file', run: checkLockFile }],
];

process.exitCode = await main();

async function main() {
  const failed = new Set();
  await runLane(FIRST, failed);
  const waiting = [...LANES];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let steps = waiting.shift(); steps !== undefined; steps = waiting.shift()) await runLane(steps, failed);
  });
  await Promise.all(workers);

  const names = [...FIRST, ...LANES.flat()].map((step) => step.name);
  if (failed.size === 0) {
    console.log(`\nAll ${names.length} checks hold.`);
    return 0;
  }
  console.log(
    `\n${failed.size} of ${names.length} checks failed: ${names.filter((name) => failed.has(name)).join(', ')}`,
  );
  return 1;
}

async function runLane(steps, failed) {
  for (const { name, needs, run } of steps) {
    const startedAt = performance.now();
    const { ok, output } = failed.has(needs)
      ? { ok: false, output: `Not run: it needs "${needs}", which failed.` }
      : await run();
    if (!ok) failed.add(name);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`\n== ${name}: ${ok ? 'ok' : 'FAILED'} (${seconds} s)`);
    if (!ok && output !== '') console.log(output);
  }
}

/** Runs a script in this Node; output is kept together, so that steps running side by side do not mix. */
function node(script, ...words) {
  if (!existsSync(join(root, script))) {
    return { ok: false, output: `${script} is not there: run "npm ci" for a tool, "npm run build" for dist/.` };
  }
  const child = spawn(process.execPath, [script, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code, signal) => {
      const text = Buffer.concat(chunks).toString('utf8').trimEnd();
      resolve({ ok: code === 0, output: signal === null ? text : `${text}\nended by ${signal}` });
    });
  });
}

/** Packages come from whatever registry is configured where they are installed; none is written down here. */
function checkLockFile() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const faults = [];
  const visit = (value, path) => {
    if (typeof value === 'string') {
      if (/\bregistry[\w-]*\.[\w.-]+\.[a-z]{2,}/i.test(value)) faults.push(`${path} names a registry`);
      return;
    }
    if (value === null || typeof value !== 'object') return;
    for (const [key, inner] of Object.entries(value)) {
      const where = `${path}/${key}`;
      // A package of this same repository is "resolved" to its folder.
      if (key === 'resolved' && !(value.link === true && !/^[a-z+]+:/i.test(inner)))
        faults.push(`${where} is an address`);
      else visit(inner, where);
    }
  };
  visit(lock, 'package-lock.json');
  const settings = readFileSync(join(root, '.npmrc'), 'utf8');
  if (!/^omit-lockfile-registry-resolved\s*=\s*true$/m.test(settings)) {
    faults.push('.npmrc lacks omit-lockfile-registry-resolved=true: the next install would write addresses');
  }
  if (/^\s*(@[^=]*:)?registry\s*=/m.test(settings)) faults.push('.npmrc names a registry');
  return { ok: faults.length === 0, output: faults.join('\n') };
}
