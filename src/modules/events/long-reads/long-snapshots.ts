import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { isCanceled } from '../../../platform/database/database-faults.js';
import { Deadline } from './deadline.js';
import { LONG_READ_MS, LongReads, QueryTooLong } from './long-reads.js';

/** What a read may take before it has to have a turn. */
const SHORT_READ_MS = 300;

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
  shortMilliseconds: number = SHORT_READ_MS;

  constructor(
    private readonly database: Database,
    private readonly turns: LongReads,
  ) {}

  /**
   * @param work limits each of its statements to what the deadline leaves; the first ones have all of it
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    const read = (): Promise<T> => this.briefly(work, { milliseconds, ...(signal && { signal }) });
    return this.turns.run(projectId, read, signal && { signal });
  }

  /**
   * As {@link run}, where a turn is free.
   * @returns null when none is: nothing has begun then
   * @throws QueryTooLong
   */
  runNow<T>(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    options: Options = {},
  ): Promise<T> | null {
    return this.turns.runNow(projectId, () => this.briefly(work, options));
  }

  /**
   * As {@link run}, without a turn for a moment, counted from when there is a connection: for what is quick but for few.
   * @param work is begun again, with a turn, when the moment is over
   * @throws QueryTooLong, TooManyQueries
   */
  async attempt<T>(
    scope: Pick<ProjectScope, 'projectId'>,
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    const moment = Math.min(this.shortMilliseconds, milliseconds);
    try {
      return await this.read((tx) => work(tx, new Deadline(moment, signal)), moment, signal);
    } catch (error) {
      if (!(error instanceof QueryTooLong)) throw error;
      return this.run(scope, work, { milliseconds, ...(signal && { signal }) });
    }
  }

  /**
   * As {@link run}, without a turn: for what looks through few rows, or nobody knows yet whether there are many.
   * @throws QueryTooLong
   */
  briefly<T>(
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    const deadline = new Deadline(milliseconds, signal);
    return this.read((tx) => work(tx, deadline), milliseconds, signal);
  }

  private async read<T>(
    work: (tx: Db) => Promise<T>,
    milliseconds: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await this.database.snapshot(work, { signal, milliseconds });
    } catch (error) {
      if (!isCanceled(error)) throw error;
      signal?.throwIfAborted();
      throw new QueryTooLong();
    }
  }
}
