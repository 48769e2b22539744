import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { isCanceled } from '../../../platform/database/database-faults.js';
import { ReadDeadline } from './read-deadline.js';
import { LONG_READ_MS, LongReads, QueryTooLong } from './long-reads.js';

interface Options {
  /** Ends the read, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  readonly milliseconds?: number;
  /** As for {@link LongReads.run}. */
  readonly isBackground?: boolean;
}

/**
 * Runs reads that scan rows in one snapshot. Each has a slot and a time limit, and ends when its client has
 * disconnected.
 */
@Injectable()
export class LongSnapshots {
  /** Time limit of a read, which tests shorten. */
  milliseconds: number = LONG_READ_MS;

  constructor(
    private readonly database: Database,
    private readonly slots: LongReads,
  ) {}

  /**
   * Runs a read in a slot, in its own snapshot.
   * @param work limits each of its statements to the rest of the deadline; its first statements may take all of it.
   * `work` may be started again, in another snapshot, when it takes longer than a short read may
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    scope: Pick<ProjectScope, 'organizationId' | 'projectId'>,
    work: (tx: Db, deadline: ReadDeadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds, isBackground }: Options = {},
  ): Promise<T> {
    const read = (time: number): Promise<T> => this.briefly(work, { milliseconds: time, ...(signal && { signal }) });
    return this.slots.run(scope, read, { milliseconds, signal, isBackground });
  }

  /**
   * Does the same as {@link run} without a slot, for reads that scan few rows. The time limit starts when a connection
   * has been acquired.
   * @throws QueryTooLong
   */
  async briefly<T>(
    work: (tx: Db, deadline: ReadDeadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Omit<Options, 'isBackground'> = {},
  ): Promise<T> {
    try {
      return await this.database.snapshot((tx) => work(tx, new ReadDeadline(milliseconds, signal)), {
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
