// npm run check: runs all checks other than the tests. Names after "--" select parts: "npm run check -- types lint".
// All parts run even when one fails. The exit code is then 1, and the last line names the parts that failed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachePath } from './check/cache.mjs';
import { faultsOfLockFiles } from './check/lock-files.mjs';
import { ensureTools } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const MAX_PARALLEL_PARTS = Math.min(2, availableParallelism());
const DUPLICATION_FOLDERS = ['src', 'migrations', 'scripts', 'bench', 'clients', 'console'];

/** The preparations of the parts. A preparation runs once, and only when one of the chosen parts names it. */
const PREPARATIONS = [
  { name: 'build', run: () => node('scripts/build.mjs', '--if-needed', '--service') },
  { name: 'tools', run: installTools },
  { name: 'client', needs: ['build'], run: () => node('scripts/client.mjs', '--types', '--if-needed') },
];

/** The longest ones come first, so that two at a time end together. */
const PARTS = [
  { name: 'lint', needs: ['build', 'tools', 'client'], run: () => node('scripts/lint.mjs') },
  {
    name: 'types',
    needs: ['build', 'tools', 'client'],
    run: () => inOrder([() => tsc('.'), () => tsc('clients/typescript'), () => tsc('console')]),
  },
  {
    name: 'dependencies',
    needs: ['build', 'tools'],
    run: () =>
      node(
        'tools/node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
        ...['--config', 'tools/dependency-cruiser.cjs', '--output-type', 'err-long'],
        ...['src', 'migrations', 'test'],
      ),
  },
  { name: 'documents', run: () => node('scripts/check-documents.mjs') },
  { name: 'api', needs: ['build', 'tools'], run: () => node('tools/api-documents.mjs') },
  { name: 'format', needs: ['tools'], run: () => node('scripts/format.mjs', '--check') },
  {
    name: 'unused',
    needs: ['build', 'tools', 'client'],
    run: () => node('tools/node_modules/knip/bin/knip.js', '--no-progress', '--config', 'tools/knip.json'),
  },
  { name: 'drift', needs: ['build'], run: () => node('dist/src/cli.js', 'drift') },
  { name: 'generated', needs: ['build'], run: () => node('dist/src/cli.js', 'generate', '--check') },
  { name: 'contract', needs: ['build'], run: () => node('scripts/check-contract.mjs') },
  {
    name: 'duplication',
    needs: ['tools'],
    run: () => node('tools/node_modules/jscpd/run-jscpd.js', '--config', 'tools/jscpd.json', ...DUPLICATION_FOLDERS),
  },
  { name: 'lint-rules', needs: ['tools'], run: () => node('lint/rules.test.mjs') },
  { name: 'lockfile', run: () => resultOf(faultsOfLockFiles(root)) },
];

process.exitCode = await main(process.argv.slice(2));

async function main(names) {
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) {
    console.error(
      `There is no check named ${unknown.join(', ')}: the checks are ${PARTS.map(({ name }) => name).join(', ')}.`,
    );
    return 2;
  }
  const parts = names.length === 0 ? PARTS : PARTS.filter(({ name }) => names.includes(name));
  const failed = new Set();
  for (const step of preparationsOf(parts)) await runStep(step, failed);

  const waiting = [...parts];
  const workers = Array.from({ length: MAX_PARALLEL_PARTS }, async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await runStep(part, failed);
  });
  await Promise.all(workers);

  if (failed.size === 0) {
    console.log(`\n${parts.length === 1 ? 'The check holds.' : `All ${parts.length} checks hold.`}`);
    return 0;
  }
  console.log(`\nFailed: ${[...failed].join(', ')}. Run one again with "npm run check -- <name>".`);
  return 1;
}

function preparationsOf(parts) {
  const needed = new Set(parts.flatMap(({ needs = [] }) => needs));
  for (const { name, needs = [] } of PREPARATIONS.toReversed())
    if (needed.has(name)) needs.forEach((one) => needed.add(one));
  return PREPARATIONS.filter(({ name }) => needed.has(name));
}

async function runStep({ name, needs = [], run }, failed) {
  const startedAt = performance.now();
  const missing = needs.find((one) => failed.has(one));
  const { ok, output } =
    missing === undefined ? await run() : { ok: false, output: `Not run: it needs "${missing}", which failed.` };
  if (!ok) failed.add(name);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`\n== ${name}: ${ok ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (!ok && output !== '') console.log(output);
}

async function installTools() {
  try {
    await ensureTools();
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: error.message };
  }
}

/** Runs all checks and fails with the output of those that fail. */
async function inOrder(runs) {
  const faults = [];
  for (const run of runs) {
    const { ok, output } = await run();
    if (!ok) faults.push(output);
  }
  return resultOf(faults);
}

function resultOf(faults) {
  return { ok: faults.length === 0, output: faults.join('\n') };
}

/** TypeScript 7 takes a third of the time of TypeScript 6, which other packages still need for its programming interface. */
function tsc(project) {
  const cache = cachePath(`types-${project.replace(/\W+/g, '-')}.tsbuildinfo`);
  const incremental = cache === null ? [] : ['--incremental', '--tsBuildInfoFile', cache];
  return node('tools/node_modules/typescript-7/bin/tsc', '--noEmit', '-p', project, ...incremental);
}

/**
 * Runs a script in this version of Node. Its output is printed at the end, so that the output of two parts does not
 * mix.
 */
function node(script, ...words) {
  if (!existsSync(join(root, script))) {
    return { ok: false, output: `${script} does not exist: run "npm ci", or "npm run build" for dist/.` };
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
