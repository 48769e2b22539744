import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { ClientBase } from 'pg';
import type { Logger } from 'typeorm';

/**
 * How long a connection may be idle before it is closed. A new connection takes about 50 ms of the server's processor
 * time, because a server process starts and reads the catalogs again.
 */
const IDLE_LIMIT_MS = 5 * 60_000;

/** Returns the options of TypeORM. Modules register their own entities. Only migrations change the schema. */
export function typeOrmOptions(o: {
  url: string;
  poolSize: number;
  applicationName: string;
  /** Called with each statement before it is sent. An error that it throws stops the statement. */
  statements?: Logger | undefined;
}): TypeOrmModuleOptions {
  return {
    type: 'postgres',
    url: o.url,
    poolSize: o.poolSize,
    applicationName: o.applicationName,
    autoLoadEntities: true,
    synchronize: false,
    migrationsRun: false,
    logging: o.statements !== undefined,
    ...(o.statements !== undefined && { logger: o.statements }),
    retryAttempts: 10,
    retryDelay: 500,
    connectTimeoutMS: 5_000,
    extra: {
      keepAlive: true,
      idleTimeoutMillis: IDLE_LIMIT_MS,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      onConnect: listenToErrors,
    },
  };
}

/**
 * Adds an error listener to a new connection, because an error event without a listener would end the process. When the
 * server closes a connection during opening, there is a moment without a listener: the pool has removed its own, and
 * TypeORM has not added one yet. The caller gets the error from the next query.
 */
function listenToErrors(client: ClientBase): void {
  client.on('error', () => undefined);
}
