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
import { EmbeddedDatabaseError, OWN_SERVER_HINT } from './embedded-database-error.js';
import { clearLeftovers } from './leftovers.js';
import { SupervisedServer } from './supervised-server.js';
import { lockDataFolder } from './service-lock.js';
import { errorCode, errorMessage } from '../platform/errors/index.js';

export { EmbeddedDatabaseError };
export { findRunningCluster, hasCluster } from './running-cluster.js';
export interface EmbeddedPostgresOptions {
  /** An absolute path. The cluster is created in its folder `postgres`. */
  dataDir: string;
  /**
   * True when nobody chose `dataDir`. Then the cluster may be stored elsewhere if the database's user cannot reach it.
   */
  dataDirIsDefault: boolean;
  /** Default true. False gives up safety against a crash of the machine in exchange for speed, for tests. */
  durable?: boolean;
  /** Default 100. */
  maxConnections?: number;
  /** Restarts a server that ended unexpectedly, unless it ends too often. Default false. */
  revives?: boolean;
  log?(line: string): void;
  /** Receives what an operator should examine. */
  warn?(line: string): void;
  /** Called when the server has ended unexpectedly and is not restarted. */
  onLost?(reason: string): void;
}

export interface EmbeddedPostgres {
  /** Connects as the owner of the service's database, over TCP on 127.0.0.1. Contains the password. */
  url: string;
  /** Connects as superuser to the database `postgres`, for maintenance and tests. */
  adminUrl: string;
  port: number;
  /** The process of the current server. */
  readonly pid: number;
  /** PostgreSQL's own data folder, links resolved. */
  dataDir: string;
  /** Shuts the server down fast. Resolves when the server has ended, also when called again. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL on the data folder, which is created at the first start. The server ends with this process,
 * however the process ends. Throws EmbeddedDatabaseError, one sentence for the operator, when that is not possible.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError || errorCode(error) === undefined) throw error;
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
