// npm run dev: runs the service and restarts it at every change of src/ or migrations/. The embedded database keeps
// running, and a second process that has already loaded all packages waits for the next start. An editor or npm run
// check checks the types; this script does not.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isSource, Transpiled } from './dev/transpile.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const SERVICE = fileURLToPath(new URL('dev/service.mjs', import.meta.url));
/** An editor writes a file in several steps. Waits until these are over. */
const SETTLED_MS = 50;

const build = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-needed'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);

const dist = join(root, 'dist');
const target = join(dist, 'dev');
const MAIN = pathToFileURL(join(target, 'src', 'main.js')).href;
const code = new Transpiled(root, target);
linkFolders();
const database = await embeddedDatabase();

let running = null;
let spare = warmUp();
let stopping = false;
let changed = Promise.resolve();
let isDue = false;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop());
for (const folder of ['src', 'migrations']) {
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name !== null && isSource(`${folder}/${name.replaceAll('\\', '/')}`)) restartSoon();
  });
}
await restart();

/** The service finds the console and the documentation pages next to its own code. */
function linkFolders() {
  mkdirSync(target, { recursive: true });
  for (const name of ['console', 'pages']) {
    const link = join(target, name);
    rmSync(link, { force: true });
    symlinkSync(join(dist, name), link, 'junction');
  }
}

/** Starts the embedded database. Returns null when DATABASE_URL names a server. */
async function embeddedDatabase() {
  const { configOrExit } = await import('../dist/src/runtime.js');
  const { startEmbeddedPostgres } = await import('../dist/src/embedded-postgres/index.js');
  const { config } = configOrExit(process.env);
  if (config.database.url !== undefined) return null;
  const { path, isDefault } = config.dataDir;
  return startEmbeddedPostgres({ dataDir: path, dataDirIsDefault: isDefault, log: console.log, warn: console.warn });
}

function warmUp() {
  const child = fork(SERVICE, {
    cwd: root,
    execArgv: ['--enable-source-maps'],
    env: { ...process.env, ...(database === null ? {} : { DATABASE_URL: database.url }) },
    // Ctrl-C in the terminal must reach only this process, which stops the service itself.
    detached: true,
  });
  const isWarm = Promise.race([once(child, 'message').then(() => true), once(child, 'exit').then(() => false)]);
  return { child, isWarm };
}

function restartSoon() {
  if (isDue || stopping) return;
  isDue = true;
  changed = changed.then(async () => {
    await delay(SETTLED_MS);
    isDue = false;
    if (!stopping) await restart();
  });
}

/** Restarts the service. When the code does not compile, the running service stays. */
async function restart() {
  try {
    await code.compileChanged();
  } catch (error) {
    console.error(error.message);
    return;
  }
  await end(running);
  running = spare ?? warmUp();
  spare = null;
  if (!(await running.isWarm)) return;
  running.child.send(MAIN);
  // Starts the next spare process after the service is up, so that it takes no processor time from the start. After a
  // failed start the next change starts one.
  running.child.once('message', () => {
    if (!stopping) spare ??= warmUp();
  });
}

async function end(service) {
  if (service === null || service.child.exitCode !== null || service.child.signalCode !== null) return;
  const gone = once(service.child, 'exit');
  service.child.kill('SIGTERM');
  await gone;
}

async function stop() {
  if (stopping) return;
  stopping = true;
  await changed;
  await end(spare);
  await end(running);
  await database?.stop();
  process.exit(0);
}
