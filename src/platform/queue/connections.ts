import {
  assertSchemaCompatibility,
  type ConnectionOptions,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_TIMINGS, type QueueOptions, type QueueTimings } from './queue.options.js';
import { describeError, QueueUnavailableError } from './queue-errors.js';
import { within } from '../concurrency/index.js';
import { SharedConnection } from './backend.js';
import { connectionErrors } from './connection-errors.js';
import { asError, errorCode } from '../errors/index.js';

/**
 * The number of connections with the backend `postgres`: one that listens for jobs and is shared by all workers, and
 * the others for queries.
 */
const POOL_SIZE = 5;
const RETRY_MS = 250;
const POOL_CLOSE_MS = 2_000;
/** How long a broken Redis connection may stay open after it is closed. An open connection keeps the process alive. */
const REDIS_CUT_MS = 200;

/** Migrates BullMQ's own schema `bullmq` to the latest version. Concurrent callers wait for one another. */
async function migrateQueueSchema(client: pg.ClientBase): Promise<void> {
  const version = await assertSchemaCompatibility(client).catch((error: unknown) => {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  });
  // Without this check, every start would take exclusive locks on the schema's tables.
  if (version < LATEST_SCHEMA_VERSION) await runMigrations(client);
}

/** The connections of all queues and workers. They are created once per application and closed last. */
export class QueueConnections {
  readonly timings: QueueTimings;
  /** Null with the backend `redis`. */
  private readonly shared: SharedConnection | null;
  private closing?: Promise<void>;

  private constructor(
    readonly options: QueueOptions,
    /** The pool for the record of job runs, and with `postgres` also for the queues. */
    readonly pool: pg.Pool,
  ) {
    this.timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.pool.setMaxListeners(0);
    this.pool.on('error', (error) => connectionErrors.report('database connection', error));
    // BullMQ uses clients without an error listener. If the server ended such a client, its error event would end the
    // process.
    this.pool.on('connect', (client) => {
      client.on('error', (error) => connectionErrors.report('database connection', error));
      // Each worker listens for notifications on the same client.
      client.setMaxListeners(0);
    });
    this.shared = options.backend === 'postgres' ? new SharedConnection(this.pool) : null;
    this.shared?.setMaxListeners(0);
  }

  /**
   * Connects, and waits up to `timings.start` until the database answers and the schema of the queues is up to date. A
   * queue that is created earlier would remember the failure and refuse every later job.
   */
  static async open(options: QueueOptions): Promise<QueueConnections> {
    if (options.backend === 'redis' && !options.redisUrl) throw new TypeError('the redis backend needs a redis url');
    const onPostgres = options.backend === 'postgres';
    const connections = new QueueConnections(
      options,
      new pg.Pool({
        connectionString: options.databaseUrl,
        max: onPostgres ? POOL_SIZE : 2,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        // Adding a job waits no longer than `timings.add`. A start on a busy machine may need all of `timings.start`,
        // so that limit applies here.
        connectionTimeoutMillis: { ...DEFAULT_TIMINGS, ...options.timings }.start,
        application_name: 'queue',
        ...(onPostgres && { options: '-c search_path=bullmq' }),
      }),
    );
    try {
      await connections.waitForDatabase();
    } catch (error) {
      await connections.close();
      throw new QueueUnavailableError(`the database: ${describeError(error)}`, error);
    }
    return connections;
  }

  /** The connection for adding jobs. Without Redis it fails at once, because a request waits for the result. */
  get forQueues(): ConnectionOptions {
    return this.postgres ?? { url: this.options.redisUrl, disconnectTimeout: REDIS_CUT_MS, enableOfflineQueue: false };
  }

  /** The connection for workers. It waits until Redis is available again. */
  get forWorkers(): ConnectionOptions {
    return this.postgres ?? { url: this.options.redisUrl, disconnectTimeout: REDIS_CUT_MS, maxRetriesPerRequest: null };
  }

  /** The type of this BullMQ option does not allow an existing connection, so the value is cast. See backend.ts. */
  private get postgres(): ConnectionOptions | null {
    return this.shared as unknown as ConnectionOptions | null;
  }

  /** Ends the pool. Must be called after every queue and worker has closed. */
  close(): Promise<void> {
    this.closing ??= within(POOL_CLOSE_MS, this.endPool(), () => new Error('closing took too long')).catch(
      (error: unknown) => connectionErrors.report('database connection', error),
    );
    return this.closing;
  }

  private async endPool(): Promise<void> {
    await this.shared?.close();
    await this.pool.end();
  }

  private async waitForDatabase(): Promise<void> {
    const deadline = performance.now() + this.timings.start;
    for (;;) {
      const left = Math.max(deadline - performance.now(), 0);
      try {
        return await within(left, this.prepareDatabase(), () => new Error('no answer in time'));
      } catch (error) {
        if (!mayPass(error) || performance.now() + RETRY_MS >= deadline) throw error;
        connectionErrors.report('waiting for the database', error);
      }
      await sleep(RETRY_MS);
    }
  }

  private async prepareDatabase(): Promise<void> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    const onError = (error: Error) => (failure = error);
    client.on('error', onError);
    try {
      if (this.options.backend === 'postgres') await migrateQueueSchema(client);
      else await client.query('SELECT 1');
    } catch (error) {
      failure = asError(error);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(failure);
    }
  }
}

/**
 * Returns whether the error may be temporary: true when the server is unreachable or starting, false for a wrong name
 * or password.
 */
function mayPass(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  const fromServer = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  return !fromServer || /^(08|53|57)/.test(code);
}
