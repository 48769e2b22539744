import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryResult,
  type Repository,
} from 'typeorm';

/** A connection to query through: the pool, or the transaction of the act at hand. */
export type Db = EntityManager;

/** The door to PostgreSQL for repositories and services. */
@Injectable()
export class Database {
  constructor(private readonly source: DataSource) {}

  /** The pool, for reads and single statements outside a transaction. */
  get db(): Db {
    return this.source.manager;
  }

  /** Runs in one READ COMMITTED transaction. Never wait for the network inside. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.source.transaction(work);
  }

  /** Runs reads that must agree with each other: all of them see the same moment, and none may write. */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.source.transaction('REPEATABLE READ', async (tx) => {
      await tx.query('SET TRANSACTION READ ONLY');
      return work(tx);
    });
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
