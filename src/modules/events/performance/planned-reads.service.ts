import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { LONG_READ_MS, LongReads, QueryTooLong } from '../reads/index.js';

/** Rows that a read may look through without waiting for its turn: a fraction of a second. */
const ROWS_AT_ONCE = 50_000;
const QUERY_CANCELED = '57014';

/** Each statement after the first takes no longer than is left; asked before it. */
export type LimitTime = () => Promise<void>;

interface Planned {
  /** Rows to be looked through. */
  readonly events: number;
}

/** Reads of one moment, most of them from rollups. Those that have to look through many rows wait for their turn. */
@Injectable()
export class PlannedReads {
  /** What one may take; tests make it less. */
  milliseconds: number = LONG_READ_MS;
  rowsAtOnce = ROWS_AT_ONCE;

  constructor(
    private readonly database: Database,
    private readonly turns: LongReads,
  ) {}

  /**
   * @param plan tells what is to be read in the snapshot that it looks at
   * @param signal ends the read, which then throws its reason
   * @throws QueryTooLong, TooManyQueries
   */
  async run<P extends Planned, T>(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    plan: (tx: Db) => Promise<P>,
    read: (tx: Db, planned: P, limitTime: LimitTime) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const few = await this.within(signal, async (tx, limitTime) => {
      const planned = await plan(tx);
      if (planned.events > this.rowsAtOnce) return null;
      await limitTime();
      return { answer: await read(tx, planned, limitTime) };
    });
    if (few !== null) return few.answer;
    const many = (): Promise<T> =>
      this.within(signal, async (tx, limitTime) => {
        const planned = await plan(tx);
        await limitTime();
        return read(tx, planned, limitTime);
      });
    return this.turns.run(projectId, many, { signal });
  }

  private async within<T>(signal: AbortSignal, work: (tx: Db, limitTime: LimitTime) => Promise<T>): Promise<T> {
    const endsAt = performance.now() + this.milliseconds;
    try {
      return await this.database.snapshot((tx) => {
        const limitTime = async (): Promise<void> => {
          signal.throwIfAborted();
          const left = Math.ceil(endsAt - performance.now());
          if (left <= 0) throw new QueryTooLong();
          await this.database.execute(`SET LOCAL statement_timeout = ${left}`, [], tx);
        };
        return this.database.endedBy(tx, signal, async () => {
          await limitTime();
          return work(tx, limitTime);
        });
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
      signal.throwIfAborted();
      throw new QueryTooLong();
    }
  }
}
