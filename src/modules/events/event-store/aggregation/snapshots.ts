import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { ReadBounds } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import { type ReadDeadline, LongSnapshots, QueryTooLong } from '../../long-reads/index.js';
import type { AggregationQuery } from './aggregation-query.js';

/** Reads PostgreSQL in one snapshot. */
export interface Snapshot {
  readonly tx: Db;
  readonly deadline: ReadDeadline;
  /** Limits the next statement to the remaining time. */
  readonly limit: () => Promise<void>;
  /**
   * Limits a read of ClickHouse to the remaining time, including the wait for a slot, because the snapshot holds a
   * connection meanwhile. The read ends when the client disconnects.
   * @throws QueryTooLong
   */
  readonly inTime: <T>(look: (bounds: ReadBounds) => Promise<T>) => Promise<T>;
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
   * @param isBackground true when the read may use only half of the organization's time for long reads
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    { scope }: Pick<AggregationQuery, 'scope'>,
    signal: AbortSignal,
    work: (snapshot: Snapshot) => Promise<T>,
    isBackground = false,
  ): Promise<T> {
    return this.long.run(scope, (tx, deadline) => work(this.of(tx, deadline, signal)), { signal, isBackground });
  }

  /** Returns a {@link Snapshot} for a transaction that the caller has begun. */
  of(tx: Db, deadline: ReadDeadline, signal: AbortSignal): Snapshot {
    const limit = (): Promise<void> => this.database.limit(tx, deadline.left());
    return {
      tx,
      deadline,
      limit,
      inTime: (look) => inTime(deadline, signal, look),
      rows: async (sql, parameters) => {
        await limit();
        return this.database.rows(sql, parameters.values, tx);
      },
    };
  }
}

async function inTime<T>(
  deadline: ReadDeadline,
  closed: AbortSignal,
  look: (bounds: ReadBounds) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(deadline.left());
  try {
    return await look({ milliseconds: deadline.left(), signal: AbortSignal.any([late, closed]) });
  } catch (error) {
    closed.throwIfAborted();
    if (late.aborted) throw new QueryTooLong();
    deadline.left();
    throw error;
  }
}
