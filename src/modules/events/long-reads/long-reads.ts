import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { domainError } from '../../../platform/http/domain-error.js';

/** Turns of long reads. */
export const LONG_READ_TURNS = {
  /** In one process: each holds a connection of the pool, which serves everybody else too. */
  atOnce: 2,
  atOnceOfProject: 1,
  /** A read whose turn has not come by then is refused. */
  patienceMs: 2_000,
} as const;
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
    parallel: LONG_READ_TURNS.atOnce,
    parallelOfShare: LONG_READ_TURNS.atOnceOfProject,
    mostWaiting: MOST_WAITING,
    patience: { ms: LONG_READ_TURNS.patienceMs, refusal: NoTurn },
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
