import { CONFIG_EXIT_CODE, type Config, ConfigError, loadConfig } from './config/index.js';
import { type EmbeddedPostgres, findRunningCluster, startEmbeddedPostgres } from './embedded-postgres/index.js';
import { waitForDatabase } from './platform/database/wait-for-database.js';
import { Logger } from './platform/telemetry/index.js';

export interface Settings {
  readonly config: Config;
  readonly logger: Logger;
}

export interface OpenedDatabase {
  readonly url: string;
  /** Null when another process runs the database. */
  readonly embedded: EmbeddedPostgres | null;
}

/**
 * Reads the environment. Prints every fault on standard error and exits with code 78 when there is one.
 * @param destination where log lines go. Default: standard output
 */
export function configOrExit(env: NodeJS.ProcessEnv, destination?: NodeJS.WriteStream): Settings {
  try {
    const config = loadConfig(env);
    return {
      config,
      logger: new Logger({ level: config.logLevel, ...(destination && { destination, pretty: destination.isTTY }) }),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(CONFIG_EXIT_CODE);
  }
}

/**
 * Waits for the configured database, or starts the embedded one. The caller stops an embedded one that it got.
 * @param options.waitMs how long a database that does not answer is waited for. Default: half a minute
 * @param options.joins uses the embedded database of a running service, which otherwise is an error
 */
export async function openDatabase(
  config: Config,
  logger: Logger,
  { joins = false, waitMs }: { readonly joins?: boolean; readonly waitMs?: number } = {},
): Promise<OpenedDatabase> {
  const { path, isDefault } = config.dataDir;
  const running = config.database.url ?? (joins ? await findRunningCluster(path) : null);
  if (running !== null) {
    await waitForDatabase(running, waitMs);
    return { url: running, embedded: null };
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: path,
    dataDirIsDefault: isDefault,
    log: (line) => logger.info(line),
    warn: (line) => logger.warn(line),
    revives: true,
    // Nothing works without the database, and a restart finds the data unchanged. The supervisor decides what happens.
    onLost: (reason) => {
      logger.fatal(reason);
      process.exit(1);
    },
  });
  return { url: embedded.url, embedded };
}
