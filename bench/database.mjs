// Starts a durable embedded PostgreSQL for one run of a bench, with a database for each program that is measured.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runMigrations } from '../dist/src/platform/database/migrate.js';
import { startEmbeddedPostgres } from '../dist/src/embedded-postgres/index.js';

/**
 * @param kept the absolute path of the server's folder, which is kept; without it, a new folder is deleted at the end
 */
export async function startDatabase({ kept } = {}) {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'bench-postgres-')));
  await mkdir(folder, { recursive: true });
  // The database may run as another user, who needs access to the folder.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({ dataDir: folder, dataDirIsDefault: false, maxConnections: 200 });
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  const clients = [];
  const owner = decodeURIComponent(new URL(server.url).username);

  /** Opens a database, and creates it if a kept folder does not have it yet. `migrated` adds the service's tables. */
  const database = async (name, { migrated = false } = {}) => {
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await admin.query(`CREATE DATABASE ${name} OWNER ${pg.escapeIdentifier(owner)}`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    if (migrated) await runMigrations(url.href);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    clients.push(client);
    const query = (text, values) => client.query(text, values).then(({ rows }) => rows);
    /** Runs a statement as superuser, who may read and write files of the server. */
    const asAdmin = async (text, values) => {
      const adminUrl = new URL(server.adminUrl);
      adminUrl.pathname = `/${name}`;
      const own = new pg.Client({ connectionString: adminUrl.href });
      await own.connect();
      try {
        return (await own.query(text, values)).rows;
      } finally {
        await own.end();
      }
    };
    return { url: url.href, query, asAdmin };
  };
  return {
    database,
    /** Returns the path of a folder that both this process and the server can use. */
    exchangeFolder: async () => {
      const path = join(folder, 'exchange');
      await mkdir(path, { recursive: true });
      await chmod(path, 0o777);
      return path;
    },
    /** Writes a checkpoint, so that no measurement pays for the writes of the previous one. */
    checkpoint: () => admin.query('CHECKPOINT'),
    /** Runs `work`, which writes much at once, without checkpoints in between. */
    filling: async (work) => {
      const set = async (text) => {
        await admin.query(text);
        await admin.query('SELECT pg_reload_conf()');
      };
      await set(`ALTER SYSTEM SET max_wal_size = '16GB'`);
      try {
        return await work();
      } finally {
        await set('ALTER SYSTEM RESET max_wal_size');
        await admin.query('CHECKPOINT');
      }
    },
    settings: async () => {
      const names = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];
      const { rows } = await admin.query('SELECT name, setting, unit FROM pg_settings WHERE name = ANY ($1)', [names]);
      return Object.fromEntries(rows.map(({ name, setting, unit }) => [name, `${setting}${unit ?? ''}`]));
    },
    stop: async () => {
      for (const client of [...clients, admin]) await client.end();
      await server.stop();
      if (kept === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
