import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import { type Deadline, LongSnapshots } from '../../long-reads/index.js';
import type { Question } from './question.js';

/** Reads of one moment. */
export interface Snapshot {
  readonly tx: Db;
  readonly deadline: Deadline;
  /** Gives the next statement the time that is left. */
  limit(): Promise<void>;
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
   * @param options.isLong whether events themselves are read, and not counted hours with the rows at their edges: those
   *   are mostly few, and wait for no turn. They take one that is free, so that what turns out to take long is not begun again
   * @param work may be begun again where no turn was free
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    { scope }: Question,
    { isLong, signal }: { readonly isLong: boolean; readonly signal: AbortSignal },
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const read = (tx: Db, deadline: Deadline): Promise<T> => work(this.of(tx, deadline));
    if (isLong) return this.long.run(scope, read, { signal });
    return this.long.runNow(scope, read, { signal }) ?? this.long.attempt(scope, read, { signal });
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
