import { Injectable } from '@nestjs/common';
import type { ClientBase, Pool, QueryResult as StatementResult } from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  QueryFailedError,
  type QueryResult,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { AsyncContext } from '../concurrency/index.js';

/** The connection for queries: the pool, or the current transaction. */
export type Db = EntityManager;

/** One connection of the pool, kept for several statements and transactions. */
export interface Session {
  /** Runs each statement on its own, outside a transaction. */
  readonly db: Db;
  /** Runs a transaction like {@link Database.transaction} on this connection. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/** Injection token of the database URL, for services with their own connection. */
export const DATABASE_URL = Symbol('DATABASE_URL');

/**
 * The statement with which TypeORM and this file start transactions. When this statement fails, no other statement has
 * been sent (see `isOutOfReach`).
 */
const START_TRANSACTION = 'START TRANSACTION';

/** Number of connections for {@link Database.apart}, in addition to the pool for requests. */
const CONNECTIONS_APART = 3;

/** Gives repositories and services access to PostgreSQL. */
@Injectable()
export class Database {
  private readonly afterCommits = new WeakMap<Db, (() => void)[]>();
  private readonly present = new AsyncContext<DataSource>();
  private apartSource: Promise<DataSource> | undefined;

  constructor(private readonly main: DataSource) {}

  private get source(): DataSource {
    return this.present.get() ?? this.main;
  }

  /**
   * Runs work, and everything that it starts, on a few separate connections. However much of such work there is, it
   * takes no connections from requests. The connections are opened on first use.
   */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    return this.present.during(await this.openApart(), work);
  }

  /** Closes the connections of {@link apart}. */
  async closeApart(): Promise<void> {
    const opened = this.apartSource;
    this.apartSource = undefined;
    await (await opened?.catch(() => undefined))?.destroy();
  }

  /** The connections of the pool for requests, and the callers that wait for one. */
  get poolUse(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = (this.main.driver as PostgresDriver).master as Pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  private openApart(): Promise<DataSource> {
    const source = (this.apartSource ??= new DataSource({
      ...this.main.options,
      poolSize: CONNECTIONS_APART,
      applicationName: 'service-background',
    } as DataSourceOptions).initialize());
    source.catch(() => {
      if (this.apartSource === source) this.apartSource = undefined;
    });
    return source;
  }

  /** Returns the pool, for reads and single statements outside a transaction. */
  get db(): Db {
    return this.source.manager;
  }

  /** Runs work in one READ COMMITTED transaction. The work must not wait for the network. */
  async transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      return await this.transactionOn(runner, work);
    } finally {
      await runner.release();
    }
  }

  /**
   * Calls `follow` after a transaction of {@link transaction} has committed. It is not called after a rollback, or when
   * the process dies first. Use it only for optional work, such as waking a worker that would find the work anyway.
   */
  afterCommit(tx: Db, follow: () => void): void {
    const known = this.afterCommits.get(tx);
    if (known === undefined) this.afterCommits.set(tx, [follow]);
    else known.push(follow);
  }

  /**
   * Runs reads that must be consistent with each other. All of them see the same snapshot, and nothing that they write
   * is kept.
   * @param options.signal when aborted, cancels the running statement, which fails with SQLSTATE 57014
   * @param options.milliseconds the time limit of each statement, until {@link limit} changes it
   * @param options.isUndone allows temporary relations. The transaction ends with a rollback, which removes them
   */
  async snapshot<T>(
    work: (tx: Db) => Promise<T>,
    {
      signal,
      milliseconds,
      isUndone = false,
    }: {
      readonly signal?: AbortSignal | undefined;
      readonly milliseconds?: number;
      readonly isUndone?: boolean;
    } = {},
  ): Promise<T> {
    const runner = this.source.createQueryRunner();
    let result: T;
    try {
      // TypeORM would send a separate message to start the transaction, and returns the rows of only one statement of a
      // message.
      const connection = (await runner.connect()) as ClientBase;
      const pid = await openSnapshot(connection, milliseconds, isUndone ? '' : 'READ ONLY');
      const tx = this.source.createEntityManager(runner);
      result = signal === undefined ? await work(tx) : await this.endedBy(tx, pid, signal, () => work(tx));
    } catch (error) {
      // The original error is more useful than that of the rollback, which only fails when the connection is lost.
      await runner.query('ROLLBACK').catch(() => undefined);
      await runner.release();
      throw error;
    }
    // The results are complete and nothing was written, so the caller does not wait for the end of the transaction.
    void runner
      .query(isUndone ? 'ROLLBACK' : 'COMMIT')
      .catch(() => undefined)
      .then(() => runner.release());
    return result;
  }

  /** Sets the time limit of each of the next statements of a transaction, in milliseconds. */
  async limit(tx: Db, milliseconds: number): Promise<void> {
    await this.run(limitSql(milliseconds), [], tx);
  }

  private async endedBy<T>(tx: Db, pid: number | undefined, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let cancelled: Promise<unknown> | undefined;
    const cancel = (): void => {
      // The cancellation uses a separate connection, since the statements to cancel may hold all connections of the
      // pool. If it cannot be sent, the statement runs until its timeout.
      cancelled = this.apart(() => this.rows('SELECT pg_cancel_backend($1)', [pid])).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', cancel);
      if (cancelled !== undefined) {
        await cancelled;
        // A cancellation that arrives late hits this statement instead of a statement of the next user of the
        // connection.
        await this.rows('SELECT 1', [], tx).catch(() => undefined);
      }
    }
  }

  /**
   * Runs statements that are not allowed in a transaction or may take long, such as the creation of an index. They run
   * on one connection without a time limit, while no other process runs `maintain` with the same name.
   * @returns undefined when another process does
   */
  async maintain<T>(
    name: string,
    work: (execute: (sql: string) => Promise<void>) => Promise<T>,
  ): Promise<T | undefined> {
    const runner = this.source.createQueryRunner();
    try {
      const [row] = (await runner.query('SELECT pg_try_advisory_lock(hashtext($1)) AS ours', [name])) as {
        ours: boolean;
      }[];
      if (row?.ours !== true) return undefined;
      try {
        await runner.query('SET statement_timeout = 0');
        return await work(async (sql) => {
          await runner.query(sql);
        });
      } finally {
        await runner.query('RESET statement_timeout');
        await runner.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
      }
    } finally {
      await runner.release();
    }
  }

  /**
   * Runs several transactions on one connection, while no other session runs `alone` with the same name.
   * @returns undefined when another session does
   */
  async alone<T>(name: string, work: (session: Session) => Promise<T>): Promise<T | undefined> {
    const runner = this.source.createQueryRunner();
    const db = this.source.createEntityManager(runner);
    const lock = `hashtextextended($1, 0)`;
    try {
      const [row] = await this.rows<{ ours: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS ours`, [name], db);
      if (row?.ours !== true) return undefined;
      try {
        return await work({ db, transaction: (inside) => this.transactionOn(runner, inside) });
      } finally {
        // A lost connection has also lost its locks.
        await this.rows(`SELECT pg_advisory_unlock(${lock})`, [name], db).catch(() => undefined);
      }
    } finally {
      await runner.release();
    }
  }

  /** Waits until the database answers. */
  async ping(): Promise<void> {
    await this.run('SELECT 1', [], this.db);
  }

  /** Runs SQL and returns its rows, including the rows of RETURNING. Parameters are sent separately from the text. */
  async rows<Row>(sql: string, parameters: readonly unknown[] = [], db: Db = this.db): Promise<Row[]> {
    return (await this.run(sql, parameters, db)).records as Row[];
  }

  /** Runs SQL whose rows are not needed. @returns the number of affected rows */
  async execute(sql: string, parameters: readonly unknown[] = [], db: Db = this.db): Promise<number> {
    return (await this.run(sql, parameters, db)).affected ?? 0;
  }

  repository<E extends ObjectLiteral>(entity: EntityTarget<E>, db: Db = this.db): Repository<E> {
    return db.getRepository(entity);
  }

  private async transactionOn<T>(runner: QueryRunner, work: (tx: Db) => Promise<T>): Promise<T> {
    const tx = this.source.createEntityManager(runner);
    let result: T;
    try {
      await runner.startTransaction();
      result = await work(tx);
      await runner.commitTransaction();
    } catch (error) {
      // The original error is more useful than that of the rollback, which only fails when the connection is lost.
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
    for (const follow of this.afterCommits.get(tx) ?? []) follow();
    return result;
  }

  private async run(sql: string, parameters: readonly unknown[], db: Db): Promise<QueryResult> {
    if (db.queryRunner !== undefined) return db.queryRunner.query(sql, [...parameters], true);
    const runner = this.source.createQueryRunner();
    try {
      return await runner.query(sql, [...parameters], true);
    } finally {
      await runner.release();
    }
  }
}

function limitSql(milliseconds: number): string {
  return `SET LOCAL statement_timeout = ${Math.ceil(milliseconds)}`;
}

/**
 * Starts a snapshot with one message. @returns the pid of the server process. Behind a connection pooler, it may differ
 * for each transaction
 */
async function openSnapshot(
  connection: ClientBase,
  milliseconds: number | undefined,
  access: 'READ ONLY' | '',
): Promise<number | undefined> {
  const limit = milliseconds === undefined ? '' : `; ${limitSql(milliseconds)}`;
  try {
    const results: unknown = await connection.query(
      `${START_TRANSACTION} ISOLATION LEVEL REPEATABLE READ ${access}${limit}; SELECT pg_backend_pid() AS pid`,
    );
    return (results as StatementResult<{ pid: number }>[]).at(-1)?.rows[0]?.pid;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined);
    throw new QueryFailedError(START_TRANSACTION, [], error as Error);
  }
}
