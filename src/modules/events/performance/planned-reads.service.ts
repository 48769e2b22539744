import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ReadTime } from '../event-store/index.js';
import { type Deadline, LongSnapshots, QueryTooLong } from '../long-reads/index.js';

/** Rows that a read may look through without waiting for its turn: a fraction of a second. */
const ROWS_AT_ONCE = 50_000;
/** Latencies of rollups that cost as much as a row. */
const LEVELS_OF_A_ROW = 10;
/** What a read may take without a turn, in milliseconds: nobody can tell all that it costs beforehand. */
const ATTEMPT_MS = 300;

interface Planned {
  /** Rows to be looked through. */
  readonly events: number;
  /** Latencies that rollups bring, at most; left out: none. */
  readonly levels?: number;
}

/**
 * Reads of one moment, most of them from rollups. Each takes a turn that is free, so that what turns out to take long is
 * not begun again. Where none is, those that have to look through many rows, and those that turn out to take long, wait.
 */
@Injectable()
export class PlannedReads {
  /** Tests make it less. */
  rowsAtOnce = ROWS_AT_ONCE;
  attemptMs = ATTEMPT_MS;

  constructor(
    private readonly database: Database,
    private readonly snapshots: LongSnapshots,
  ) {}

  /**
   * @param plan tells what is to be read in the snapshot that it looks at
   * @param signal ends the read, which then throws its reason
   * @throws QueryTooLong, TooManyQueries
   */
  async run<P extends Planned, T>(
    scope: Pick<ProjectScope, 'projectId'>,
    plan: (tx: Db) => Promise<P>,
    read: (tx: Db, planned: P, time: ReadTime) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const begin = async (tx: Db, deadline: Deadline): Promise<{ planned: P; time: ReadTime }> => {
      const time: ReadTime = {
        limit: () => this.database.limit(tx, deadline.left()),
        bounds: () => ({ milliseconds: deadline.left(), signal }),
      };
      const planned = await plan(tx);
      await time.limit();
      return { planned, time };
    };
    const whole = async (tx: Db, deadline: Deadline): Promise<T> => {
      const { planned, time } = await begin(tx, deadline);
      return read(tx, planned, time);
    };
    const now = this.snapshots.runNow(scope, whole, { signal });
    if (now !== null) return now;
    const answered = await this.attempt(async (tx, deadline) => {
      const { planned, time } = await begin(tx, deadline);
      const rows = planned.events + (planned.levels ?? 0) / LEVELS_OF_A_ROW;
      return rows > this.rowsAtOnce ? null : { answer: await read(tx, planned, time) };
    }, signal);
    if (answered !== null) return answered.answer;
    return this.snapshots.run(scope, whole, { signal });
  }

  /** Null: it takes more than may be taken without a turn. */
  private async attempt<T>(
    work: (tx: Db, deadline: Deadline) => Promise<T | null>,
    signal: AbortSignal,
  ): Promise<T | null> {
    try {
      return await this.snapshots.briefly(work, { signal, milliseconds: this.attemptMs });
    } catch (error) {
      if (error instanceof QueryTooLong) return null;
      throw error;
    }
  }
}
