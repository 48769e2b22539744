import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import { type Deadline, LongSnapshots } from '../../long-reads/index.js';
import type { Question } from './question.js';

/** Reads PostgreSQL in one snapshot. */
export interface Snapshot {
  readonly tx: Db;
  readonly deadline: Deadline;
  /** Limits the next statement to the remaining time. */
  limit(): Promise<void>;
  /** Runs a statement within the remaining time. */
  rows<Row>(sql: string, parameters: Parameters): Promise<Row[]>;
}

@Injectable()
export class Snapshots {
  constructor(
    private readonly database: Database,
    private readonly long: LongSnapshots,
  ) {}

  /**
   * @param work may run a second time, in another snapshot
   * @param isBackground the read leaves half of the time of its organization to others
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    { scope }: Pick<Question, 'scope'>,
    signal: AbortSignal,
    work: (snapshot: Snapshot) => Promise<T>,
    isBackground = false,
  ): Promise<T> {
    return this.long.run(scope, (tx, deadline) => work(this.of(tx, deadline)), { signal, isBackground });
  }

  private of(tx: Db, deadline: Deadline): Snapshot {
    const limit = (): Promise<void> => this.database.limit(tx, deadline.left());
    return {
      tx,
      deadline,
      limit,
      rows: async (sql, parameters) => {
        await limit();
        return this.database.rows(sql, parameters.values, tx);
      },
    };
  }
}
