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

/** Injection token of the address, for what needs a connection of its own. */
export const DATABASE_URL = Symbol('DATABASE_URL');

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
