import { CONFIG_EXIT_CODE, type Config, ConfigError, type MigrationMode, resolveSecrets } from './config/index.js';
import type { Runtime } from './base-providers.js';
import { OperationsPortUnavailable } from './modules/operations/health/index.js';
import {
  MigrationFailed,
  type MigrationState,
  migrationStateOf,
  refuseMissing,
  runMigrations,
  SchemaRefused,
  waitForMigrations,
} from './platform/database/migrate.js';
import { EmbeddedDatabaseError, type EmbeddedPostgres } from './embedded-postgres/index.js';
import { openDatabase } from './opening.js';
import type { Logger } from './platform/telemetry/index.js';

export { configOrExit } from './opening.js';

export interface PreparedRuntime {
  readonly runtime: Runtime;
  /** Null when DATABASE_URL names a server. */
  readonly embedded: EmbeddedPostgres | null;
  /** Applied migrations that this version does not have. */
  readonly unknownMigrations: readonly string[];
}

export interface PrepareOptions {
  /** Default: MIGRATE_ON_START. */
  readonly migrations?: MigrationMode;
  /** Ends the wait for another process that migrates. */
  readonly signal?: AbortSignal;
  /** Uses the embedded database of a running service, which otherwise is an error. */
  readonly joins?: boolean;
}

/** Starts what Nest needs first: returns the configuration, and a database with every migration applied. */
export async function prepareRuntime(
  config: Config,
  logger: Logger,
  { migrations = config.database.migrations, signal, joins = false }: PrepareOptions = {},
): Promise<PreparedRuntime> {
  const { url, embedded } = await openDatabase(config, logger, { joins });
  try {
    const { unknown } = await PREPARATIONS[migrations](url, logger, signal);
    const runtime = { config, secrets: resolveSecrets(config), databaseUrl: url, logger };
    return { runtime, embedded, unknownMigrations: unknown };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

type Preparation = (databaseUrl: string, logger: Logger, signal?: AbortSignal) => Promise<MigrationState>;

/** Each returns the state of a database that has every migration of this version. */
const PREPARATIONS: Readonly<Record<MigrationMode, Preparation>> = {
  on: async (databaseUrl, logger) => {
    await migrate(databaseUrl, logger);
    return migrationStateOf(databaseUrl);
  },
  off: async (databaseUrl) => {
    const state = await migrationStateOf(databaseUrl);
    refuseMissing(state);
    return state;
  },
  wait: (databaseUrl, logger, signal) =>
    waitForMigrations(databaseUrl, {
      signal,
      onWait: ({ missing }) =>
        logger.info('waiting until another process has applied the migrations', {
          missing: missing.length,
          next: missing[0],
        }),
    }),
};

/** Applies the migrations. Logs one line: the names of an empty database would fill a screen. */
async function migrate(databaseUrl: string, logger: Logger): Promise<void> {
  const startedAt = performance.now();
  const applied = await runMigrations(databaseUrl);
  if (applied.length === 0) return;
  logger.info('migrations applied', {
    count: applied.length,
    first: applied[0],
    last: applied.at(-1),
    duration_ms: Math.round(performance.now() - startedAt),
  });
}

/** Reports a failed start, in one readable line where the cause is known. @returns the exit code */
export function reportFailedStart(error: unknown, logger: Logger): number {
  if (error instanceof EmbeddedDatabaseError || error instanceof ConfigError || error instanceof SchemaRefused) {
    process.stderr.write(`${error.message}\n`);
    return CONFIG_EXIT_CODE;
  }
  if (error instanceof MigrationFailed) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  const sentence =
    error instanceof OperationsPortUnavailable
      ? listenerFault(error.cause, 'OPS_HOST', 'OPS_PORT')
      : listenerFault(error, 'HOST', 'PORT');
  if (sentence === null) logger.fatal('the service could not start', { err: error });
  else process.stderr.write(`${sentence}\n`);
  return 1;
}

/** Returns what is wrong with the variables of a listener, in one sentence, or null when something else is wrong. */
function listenerFault(error: unknown, hostName: string, portName: string): string | null {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return null;
  const where = `${address ?? 'the host'}${port === undefined ? '' : `:${port}`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `The address ${where} is in use: stop what listens there, or set ${portName} to another port.`;
    case 'EACCES':
      return `The service may not listen on ${where}: set ${portName} to one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${hostName} is no address of this machine: set it to 127.0.0.1, 0.0.0.0 or one of its addresses.`;
    default:
      return null;
  }
}
