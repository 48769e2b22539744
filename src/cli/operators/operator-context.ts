import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CONFIG_EXIT_CODE, type Config } from '../../config/index.js';
import { EmbeddedDatabaseError, findRunningCluster, hasCluster } from '../../embedded-postgres/index.js';
import { migrationStateOf } from '../../platform/database/migrate.js';
import { DomainError } from '../../platform/http/domain-error.js';
import { newId } from '../../platform/ids/index.js';
import { errorCode, errorMessage } from '../../platform/errors/index.js';
import { runInContext } from '../../platform/telemetry/index.js';
import { openDatabase, type OpenedDatabase, type Settings } from '../../opening.js';
import { reason } from './doctor/reason.js';
import { OperatorModule } from './operator.module.js';

/** How long a command waits for a database that does not answer. */
const DATABASE_LIMIT_MS = 5_000;

/** The command cannot be done. The message is for the operator, and the exit code is 1. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** The work of a command. It gets its services from the application. */
export type OperatorWork = (app: Pick<INestApplicationContext, 'get'>) => Promise<void>;

/**
 * Runs a command on the database of the service: the one of DATABASE_URL, or the embedded one, which is shared with a
 * running service. Opens no port and runs no workers. The audit events of the command have one request id. Returns the
 * exit code.
 */
export async function runOperatorCommand(settings: Settings, work: OperatorWork): Promise<number> {
  try {
    const { config, logger } = settings;
    if (config.database.url === undefined) await requireCluster(config);
    const { url, embedded } = await openForCommand(settings);
    try {
      await requireMigrations(url);
      const app = await NestFactory.createApplicationContext(OperatorModule.for({ config, databaseUrl: url, logger }), {
        logger,
        abortOnError: false,
      });
      try {
        await inContext(() => work({ get: (token: never) => app.get(token, { strict: false }) }));
      } finally {
        await app.close();
      }
    } finally {
      await embedded?.stop();
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    return error instanceof CommandFailed
      ? error.exitCode
      : error instanceof EmbeddedDatabaseError
        ? CONFIG_EXIT_CODE
        : 1;
  }
}

/**
 * Throws when the data folder has no database. Otherwise a command with another DATA_DIR than the service would create
 * an empty database.
 */
async function requireCluster({ dataDir: { path } }: Config): Promise<void> {
  if ((await findRunningCluster(path)) !== null || (await hasCluster(path))) return;
  throw new CommandFailed(
    `There is no database in the data folder "${path}": set DATABASE_URL or DATA_DIR as for the service.`,
    CONFIG_EXIT_CODE,
  );
}

async function openForCommand({ config, logger }: Settings): Promise<OpenedDatabase> {
  try {
    return await openDatabase(config, logger, { joins: true, waitMs: DATABASE_LIMIT_MS });
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError) throw error;
    throw new CommandFailed(
      `The database does not answer (${reason(error)}): check DATABASE_URL, that the server runs, and that the role may connect.`,
      CONFIG_EXIT_CODE,
    );
  }
}

async function requireMigrations(databaseUrl: string): Promise<void> {
  if ((await migrationStateOf(databaseUrl)).missing.length === 0) return;
  throw new CommandFailed(
    'The database lacks migrations of this version: run `migrate` first, or use the command of the version that runs.',
    CONFIG_EXIT_CODE,
  );
}

function inContext(work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const context = { requestId: `command-${newId()}`, cameAt: performance.now() };
    runInContext(context, (leave) => {
      work().finally(leave).then(resolve, reject);
    });
  });
}

/** Returns one sentence about an error. It never has the address of the database, which holds a password. */
function sentenceOf(error: unknown): string {
  if (error instanceof DomainError) return `${error.message}.`;
  if (error instanceof CommandFailed || error instanceof EmbeddedDatabaseError) return error.message;
  // An error about several addresses of a host has no message of its own.
  if (errorMessage(error) === '') return `The command failed: ${reason(error)}`;
  const code = errorCode(error);
  return `The command failed: ${errorMessage(error)}${code === undefined ? '' : ` (${code})`}`;
}
