import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { isCanceled } from '../../../platform/database/database-faults.js';
import { Deadline } from './deadline.js';
import { LONG_READ_MS, LongReads, QueryTooLong } from './long-reads.js';

interface Options {
  /** Ends the read, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  readonly milliseconds?: number;
}

/** Reads of one moment that have to look through rows: each has its turn, its time, and an end when nobody waits for it. */
@Injectable()
export class LongSnapshots {
  /** What one may take; tests make it less. */
  milliseconds: number = LONG_READ_MS;

  constructor(
    private readonly database: Database,
    private readonly turns: LongReads,
  ) {}

  /**
   * @param work limits each of its statements to what the deadline leaves; the first ones have all of it. It may be begun
   *   again, in another snapshot, where it takes longer than a short read may
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    scope: Pick<ProjectScope, 'organizationId' | 'projectId'>,
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    const read = (time: number): Promise<T> => this.briefly(work, { milliseconds: time, ...(signal && { signal }) });
    return this.turns.run(scope, read, { milliseconds, signal });
  }

  /**
   * As {@link run}, without a turn: for what looks through few rows. Its time begins when there is a connection.
   * @throws QueryTooLong
   */
  async briefly<T>(
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    try {
      return await this.database.snapshot((tx) => work(tx, new Deadline(milliseconds, signal)), {
        signal,
        milliseconds,
      });
    } catch (error) {
      if (!isCanceled(error)) throw error;
      signal?.throwIfAborted();
      throw new QueryTooLong();
    }
  }
}
