import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type Deadline, LongSnapshots } from '../reads/index.js';

/** Rows that a read may look through without waiting for its turn: a fraction of a second. */
const ROWS_AT_ONCE = 50_000;

/** The next statement takes no longer than is left; asked before each but the first. */
export type LimitTime = () => Promise<void>;

interface Planned {
  /** Rows to be looked through. */
  readonly events: number;
}

/** Reads of one moment, most of them from rollups. Those that have to look through many rows wait for their turn. */
@Injectable()
export class PlannedReads {
  /** Tests make it less. */
  rowsAtOnce = ROWS_AT_ONCE;

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
    read: (tx: Db, planned: P, limitTime: LimitTime) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const begin = async (tx: Db, deadline: Deadline): Promise<{ planned: P; limitTime: LimitTime }> => {
      const limitTime: LimitTime = () => this.database.limit(tx, deadline.left());
      await limitTime();
      const planned = await plan(tx);
      await limitTime();
      return { planned, limitTime };
    };
    const few = await this.snapshots.briefly(
      async (tx, deadline) => {
        const { planned, limitTime } = await begin(tx, deadline);
        return planned.events > this.rowsAtOnce ? null : { answer: await read(tx, planned, limitTime) };
      },
      { signal },
    );
    if (few !== null) return few.answer;
    return this.snapshots.run(
      scope,
      async (tx, deadline) => {
        const { planned, limitTime } = await begin(tx, deadline);
        return read(tx, planned, limitTime);
      },
      { signal },
    );
  }
}
