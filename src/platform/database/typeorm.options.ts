import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { ClientBase } from 'pg';
import type { Logger } from 'typeorm';

/** Entities come from the modules that own them; the schema comes from migrations alone. */
export function typeOrmOptions(o: {
  url: string;
  poolSize: number;
  applicationName: string;
  /** Is told of each statement before it is sent; what it throws ends the statement. */
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
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      onConnect: listenToErrors,
    },
  };
}

/**
 * A connection that the server ends while it is made is handed out between the pool's listener and TypeORM's, and an
 * error that nobody listens to ends the process. Whoever has it learns of its end by what is asked next.
 */
function listenToErrors(client: ClientBase): void {
  client.on('error', () => undefined);
}
