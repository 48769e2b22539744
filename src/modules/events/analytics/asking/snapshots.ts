import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import { type Deadline, LongSnapshots } from '../../reads/index.js';
import type { Question } from './question.js';

/** Reads of one moment. */
export interface Snapshot {
  readonly tx: Db;
  /** Null: counted hours are read, which takes no time to speak of. */
  readonly deadline: Deadline | null;
  /** Within the time that is left. */
  rows<Row>(sql: string, parameters: Parameters): Promise<Row[]>;
}

@Injectable()
export class Snapshots {
  constructor(
    private readonly database: Database,
    private readonly long: LongSnapshots,
  ) {}

  /**
   * @param options.isLong whether events themselves are read, and not counted hours alone
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    { scope }: Question,
    { isLong, signal }: { readonly isLong: boolean; readonly signal: AbortSignal },
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    if (isLong) return this.long.run(scope, (tx, deadline) => work(this.of(tx, deadline)), { signal });
    return this.database.snapshot((tx) => work(this.of(tx, null)));
  }

  private of(tx: Db, deadline: Deadline | null): Snapshot {
    return {
      tx,
      deadline,
      rows: async (sql, parameters) => {
        if (deadline !== null) await this.database.limit(tx, deadline.left());
        return this.database.rows(sql, parameters.values, tx);
      },
    };
  }
}
