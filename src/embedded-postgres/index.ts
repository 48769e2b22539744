import { findBinaries } from './binaries.js';
import {
  SERVICE_DATABASE,
  SERVICE_ROLE,
  SUPERUSER,
  clusterUrl,
  ensureServiceDatabase,
  openCluster,
} from './cluster.js';
import { openDataFolder } from './data-folder.js';
import { EmbeddedDatabaseError, OWN_SERVER_HINT, errorCode, errorMessage } from './embedded-database-error.js';
import { clearLeftovers } from './leftovers.js';
import { SupervisedServer } from './supervised-server.js';
import { lockDataFolder } from './service-lock.js';

export { EmbeddedDatabaseError };
export interface EmbeddedPostgresOptions {
  /** Absolute; the cluster goes into its folder `postgres`. */
  dataDir: string;
  /** True when nobody chose `dataDir`: then the cluster may go elsewhere if the database's user cannot reach it. */
  dataDirIsDefault: boolean;
  /** Default true; false gives up safety against a crash of the machine for speed, for tests. */
  durable?: boolean;
  /** Default 100. */
  maxConnections?: number;
  /** Starts a server again that ends without having been asked to, unless it does so again and again. Default false. */
  revives?: boolean;
  log?(line: string): void;
  /** What somebody should look into. */
  warn?(line: string): void;
  /** Called when the server has ended without having been asked to, and is not started again. */
  onLost?(reason: string): void;
}

export interface EmbeddedPostgres {
  /** Connects as the owner of the service's database, over TCP on 127.0.0.1; holds the password. */
  url: string;
  /** Connects as superuser to the database `postgres`; for maintenance and tests. */
  adminUrl: string;
  port: number;
  /** Of the server that runs now. */
  readonly pid: number;
  /** PostgreSQL's own data folder, links resolved. */
  dataDir: string;
  /** Fast shutdown; resolves when the server has ended, also when called again. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL on the data folder, made at the first start. It ends with this process however that ends.
 * Throws EmbeddedDatabaseError, one sentence for the operator, when that is not possible.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError || errorCode(error) === null) throw error;
    throw new EmbeddedDatabaseError(
      `The embedded database cannot use the data folder "${options.dataDir}" (${errorMessage(error)}): set DATA_DIR to a folder this service may write, or ${OWN_SERVER_HINT}.`,
      { cause: error },
    );
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, maxConnections = 100, revives = false } = options;
  const log = (line: string): void => options.log?.(line);
  const folder = await openDataFolder({ dataDir: options.dataDir, dataDirIsDefault: options.dataDirIsDefault, log });
  const unlock = await lockDataFolder(folder.home, options.dataDir);
  try {
    const binaries = await findBinaries(folder.account, folder.home);
    const cluster = await openCluster(folder, binaries, durable);
    await clearLeftovers(cluster.data, log);
    const server = await SupervisedServer.start(
      { folder, binaries, data: cluster.data, durable, maxConnections },
      { revives, log, warn: (line) => options.warn?.(line), lost: (reason) => options.onLost?.(reason) },
    );
    try {
      await ensureServiceDatabase(cluster, server.port);
    } catch (error) {
      await server.stop();
      throw error;
    }

    const stop = async (): Promise<void> => {
      try {
        await server.stop();
      } finally {
        await unlock();
      }
    };
    let stopping: Promise<void> | null = null;
    return {
      url: clusterUrl(cluster, server.port, SERVICE_ROLE, SERVICE_DATABASE),
      adminUrl: clusterUrl(cluster, server.port, SUPERUSER, 'postgres'),
      port: server.port,
      get pid() {
        return server.pid;
      },
      dataDir: cluster.data,
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}
