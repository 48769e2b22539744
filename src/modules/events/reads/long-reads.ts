import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { domainError } from '../../../platform/http/domain-error.js';

/** In one process: each holds a connection of the pool, which serves everybody else too. */
const READS_AT_ONCE = 2;
/** A read whose turn has not come by then is refused. */
const PATIENCE_MS = 2_000;
/** Beyond them the answer comes at once. */
const MOST_WAITING = 256;

/** What a read may take that has to look through rows, in milliseconds (DECISIONS 11). */
export const LONG_READ_MS = 8_000;

export class QueryTooLong extends domainError(503, 'Query took too long: choose a shorter range or a narrower filter') {
  override readonly headers = { 'Retry-After': '5' };
}

export class TooManyQueries extends domainError(503, 'Too many queries at once') {
  override readonly headers = { 'Retry-After': '2' };
}

class NoTurn extends Error {}

/** The turns of all reads of this process that may take long, whoever asks: one of a project at a time. */
@Injectable()
export class LongReads {
  private readonly turns = new FairSemaphore({
    parallel: READS_AT_ONCE,
    parallelOfShare: 1,
    mostWaiting: MOST_WAITING,
    patience: { ms: PATIENCE_MS, refusal: NoTurn },
  });

  /**
   * @param refusal what the caller is told whose turn does not come
   * @param signal ends the waiting; work that has begun looks at it by itself
   */
  async run<T>(
    projectId: string,
    work: () => Promise<T>,
    { refusal = TooManyQueries, signal }: { readonly refusal?: new () => Error; readonly signal?: AbortSignal } = {},
  ): Promise<T> {
    try {
      return await this.turns.run(projectId, work, signal);
    } catch (error) {
      throw error instanceof NoTurn ? new refusal() : error;
    }
  }

  /** As {@link run}, where a turn is free. @returns null when none is: nothing has begun then */
  runNow<T>(projectId: string, work: () => Promise<T>): Promise<T> | null {
    return this.turns.runNow(projectId, work);
  }
}
