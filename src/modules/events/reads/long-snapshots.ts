import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Deadline } from './deadline.js';
import { LONG_READ_MS, LongReads, QueryTooLong } from './long-reads.js';

const QUERY_CANCELED = '57014';

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
   * @param work limits each of its statements to what the deadline leaves; the first ones have all of it
   * @throws QueryTooLong, TooManyQueries
   */
  run<T>(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    const read = (): Promise<T> => this.read(new Deadline(milliseconds, signal), work, signal);
    return this.turns.run(projectId, read, signal && { signal });
  }

  /**
   * As {@link run}, without a turn: for what looks through few rows, or nobody knows yet whether there are many.
   * @throws QueryTooLong
   */
  briefly<T>(
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    { signal, milliseconds = this.milliseconds }: Options = {},
  ): Promise<T> {
    return this.read(new Deadline(milliseconds, signal), work, signal);
  }

  private async read<T>(
    deadline: Deadline,
    work: (tx: Db, deadline: Deadline) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await this.database.snapshot((tx) => work(tx, deadline), { signal, milliseconds: deadline.milliseconds });
    } catch (error) {
      if (!isCanceled(error)) throw error;
      signal?.throwIfAborted();
      throw new QueryTooLong();
    }
  }
}

function isCanceled(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === QUERY_CANCELED;
}
