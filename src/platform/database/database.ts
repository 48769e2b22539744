import { Injectable } from '@nestjs/common';
import type { ClientBase, QueryResult as StatementResult } from 'pg';
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
import { ScopedValue } from '../concurrency/index.js';

/** A connection to query through: the pool, or the transaction of the act at hand. */
export type Db = EntityManager;

/** One connection of the pool, kept for several statements and transactions. */
export interface Session {
  /** Each statement by itself. */
  readonly db: Db;
  /** As {@link Database.transaction}, on this connection. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/** Injection token of the address, for what needs a connection of its own. */
export const DATABASE_URL = Symbol('DATABASE_URL');

/** With which TypeORM begins, too: what fails here has not been asked (`isOutOfReach`). */
const START_TRANSACTION = 'START TRANSACTION';

/** Connections that {@link Database.apart} has, beside those of requests. */
const CONNECTIONS_APART = 3;

/** The door to PostgreSQL for repositories and services. */
@Injectable()
export class Database {
  private readonly afterCommits = new WeakMap<Db, (() => void)[]>();
  private readonly present = new ScopedValue<DataSource>();
  private apartSource: Promise<DataSource> | undefined;

  constructor(private readonly main: DataSource) {}

  private get source(): DataSource {
    return this.present.get() ?? this.main;
  }

  /**
   * Runs work whose statements, and those of all that it starts, go over a few connections of their own, so that it takes
   * none from requests however much of it there is. They are opened when first needed.
   */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    return this.present.during(await this.openApart(), work);
  }

  /** Closes what {@link apart} has opened. */
  async closeApart(): Promise<void> {
    const opened = this.apartSource;
    this.apartSource = undefined;
    await (await opened?.catch(() => undefined))?.destroy();
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

  /** The pool, for reads and single statements outside a transaction. */
  get db(): Db {
    return this.source.manager;
  }

  /** Runs in one READ COMMITTED transaction. Never wait for the network inside. */
  async transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    try {
      return await this.transactionOn(runner, work);
    } finally {
      await runner.release();
    }
  }

  /**
   * Has something done once a transaction of {@link transaction} has committed, and not at all when it is undone or the
   * process dies first: only for what may be left out, such as waking somebody who would look for work anyway.
   */
  afterCommit(tx: Db, follow: () => void): void {
    const known = this.afterCommits.get(tx);
    if (known === undefined) this.afterCommits.set(tx, [follow]);
    else known.push(follow);
  }

  /**
   * Runs reads that must agree with each other: all of them see the same moment, and none may write what stays.
   * @param options.signal ends the statement that is under way when it is aborted: it then fails as a cancelled one
   *   (SQLSTATE 57014)
   * @param options.milliseconds what each statement may take, until {@link limit} says otherwise
   * @param options.isUndone it may make temporary relations, of which nothing is left on the connection: it ends with a
   *   rollback
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
      // TypeORM would begin by a message of its own, and keeps the rows of one statement alone.
      const connection = (await runner.connect()) as ClientBase;
      const pid = await openSnapshot(connection, milliseconds, isUndone ? '' : 'READ ONLY');
      const tx = this.source.createEntityManager(runner);
      result = signal === undefined ? await work(tx) : await this.endedBy(tx, pid, signal, () => work(tx));
    } catch (error) {
      // Why it failed says more than that it could not be undone: the connection is lost then.
      await runner.query('ROLLBACK').catch(() => undefined);
      await runner.release();
      throw error;
    }
    // What was read is known, and nothing was written: the connection alone waits for the end.
    void runner
      .query(isUndone ? 'ROLLBACK' : 'COMMIT')
      .catch(() => undefined)
      .then(() => runner.release());
    return result;
  }

  /** The next statements of a transaction take no longer each, in milliseconds. */
  async limit(tx: Db, milliseconds: number): Promise<void> {
    await this.run(limitSql(milliseconds), [], tx);
  }

  private async endedBy<T>(tx: Db, pid: number | undefined, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let cancelled: Promise<unknown> | undefined;
    const cancel = (): void => {
      // Over a connection apart: those of the pool may all be taken by what is to be ended. Where it cannot be told, the
      // statement goes on until its time is over.
      cancelled = this.apart(() => this.rows('SELECT pg_cancel_backend($1)', [pid])).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', cancel);
      if (cancelled !== undefined) {
        await cancelled;
        // A cancellation that comes late hits this statement, and not one of whoever has the connection next.
        await this.rows('SELECT 1', [], tx).catch(() => undefined);
      }
    }
  }

  /**
   * Runs statements that cannot be in a transaction or may take long, such as the building of an index: on a connection of
   * their own and without a time limit, while no other process does so under the same name.
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
   * Several transactions on one connection, while no other session works under the same name.
   * @returns undefined when another does
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
        // A connection that is lost has lost its locks.
        await this.rows(`SELECT pg_advisory_unlock(${lock})`, [name], db).catch(() => undefined);
      }
    } finally {
      await runner.release();
    }
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await this.run('SELECT 1', [], this.db);
  }

  /** Plain SQL with typed rows, also of RETURNING; parameters always apart from the text. */
  async rows<Row>(sql: string, parameters: readonly unknown[] = [], db: Db = this.db): Promise<Row[]> {
    return (await this.run(sql, parameters, db)).records as Row[];
  }

  /** Plain SQL whose rows do not matter. @returns how many were affected */
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
      // Why it failed says more than that it could not be undone: the connection is lost then.
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

/** In one message. @returns the process of the server, which is another one each time where a pooler is between */
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
