// Starts one PostgreSQL for the whole run, at TEST_DATABASE_URL. If the variable is already set, the run uses that
// server instead. TEST_PROGRAMS_URL is the address at which test files request the other programs that they need.
import { existsSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { makeDataFolder, removeLeftFolders } from './data-folder.mjs';
import { servePrograms } from './programs/serve.mjs';

const starter = new URL('../../dist/src/embedded-postgres/index.js', import.meta.url);

export default async function globalSetup() {
  const stops = [];
  globalThis.stopTestServers = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  // Each process would print this warning once, and a run has dozens of processes.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  // A deployment has its own servers.
  if (process.env.TEST_BASE_URL) return;
  await removeLeftFolders();
  try {
    if (!process.env.TEST_DATABASE_URL) process.env.TEST_DATABASE_URL = await startPostgres(stops);
    process.env.TEST_PROGRAMS_URL = await servePrograms(stops);
  } catch (error) {
    await globalThis.stopTestServers();
    throw error;
  }
}

async function startPostgres(stops) {
  if (!existsSync(fileURLToPath(starter))) throw new Error('dist/ is not built: run "npm run build" first');
  const { startEmbeddedPostgres } = await import(starter.href);
  const folder = await makeDataFolder();
  stops.push(() => rm(folder, { recursive: true, force: true }));
  // When the tests run as root, the database's own user must be able to enter the folder.
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    dataDirIsDefault: false,
    durable: false,
    maxConnections: 300,
  });
  stops.push(() => postgres.stop());

  // Tests have the rights of the service, and may also create databases and roles.
  const admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  const url = new URL(postgres.url);
  // Both sides derive a key from the password at each of thousands of connections; one iteration makes this cheap.
  await admin.query('SET scram_iterations = 1');
  await admin.query(`ALTER ROLE oes CREATEDB CREATEROLE PASSWORD ${pg.escapeLiteral(url.password)}`);
  await acceptPasswords(admin);
  await admin.end();
  url.pathname = '/postgres';
  return url.toString();
}

/**
 * Makes the server accept the password itself, on the loopback. The usual exchange takes half of the processor time of a
 * client that connects.
 */
async function acceptPasswords(admin) {
  const [{ path }] = (await admin.query("SELECT current_setting('hba_file') AS path")).rows;
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll('scram-sha-256', 'password'));
  await admin.query('SELECT pg_reload_conf()');
}
