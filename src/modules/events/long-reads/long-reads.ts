import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { RecentUse } from './recent-use.js';

/** What a read may take that has to look through rows, in milliseconds (DECISIONS 11). */
export const LONG_READ_MS = 8_000;

/** Turns of long reads. */
export const LONG_READ_TURNS = {
  /** In one process: each holds a connection of the pool, which serves everybody else too. */
  atOnce: 2,
  atOnceOfProject: 1,
  /** A read whose turn has not come by then is refused. Longer than a read may take, so that a turn ends meanwhile. */
  patienceMs: 10_000,
} as const;
/** Turns of short reads, which long ones never take. */
const SHORT_READ_TURNS = { atOnce: 3, atOnceOfProject: 2 } as const;
/** What a read may take in a turn of short reads. */
const SHORT_READ_MS = 300;
/** What the long reads of an organization may take in a minute, in one process: a third of what two turns have. */
const LONG_READ_BUDGET_MS = 40_000;
/** Beyond them the answer comes at once. */
const MOST_WAITING = 256;
const MOST_WAITING_OF_PROJECT = 64;

export class QueryTooLong extends domainError(503, 'Query took too long: choose a shorter range or a narrower filter') {
  override readonly headers = { 'Retry-After': '5' };
}

export class TooManyQueries extends domainError(503, 'Too many queries at once') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds = 2) {
    super();
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

class NoTurn extends Error {}

interface Options {
  /** What the read may take when it has a turn of long ones. */
  readonly milliseconds?: number;
  /** The error for a read that waits too long for its turn, or whose organization has used up its time. */
  readonly refusal?: new (retryAfterSeconds?: number) => Error;
  /** Ends the wait for a turn. A read that has begun checks the signal itself. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The turns of all reads of this process that may take long. Nobody knows beforehand which ones do, so where no turn of a
 * long read is free, each begins in a turn of short reads, and waits for one of long reads when it has taken too much.
 * The organization that has used least in the last minute comes first.
 */
@Injectable()
export class LongReads {
  /** Tests change them. */
  readonly limits = {
    shortMs: SHORT_READ_MS,
    patienceMs: LONG_READ_TURNS.patienceMs as number,
    budgetMs: LONG_READ_BUDGET_MS,
  };
  private readonly use = new RecentUse();
  private readonly shortTurns = this.lane(SHORT_READ_TURNS);
  private readonly longTurns = this.lane(LONG_READ_TURNS);

  /**
   * @param read throws {@link QueryTooLong} when it takes longer than its milliseconds; it is then started again with more
   * @throws QueryTooLong, and the refusal
   */
  async run<T>(
    scope: Pick<ProjectScope, 'organizationId' | 'projectId'>,
    read: (milliseconds: number) => Promise<T>,
    { milliseconds = LONG_READ_MS, refusal = TooManyQueries, signal }: Options = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const { organizationId } = scope;
    const share = shareOf(scope);
    const within = (time: number) => (): Promise<T> => this.counted(organizationId, () => read(time));
    const now = this.refusedFor(organizationId) > 0 ? null : this.longTurns.runNow(share, within(milliseconds));
    if (now !== null) return now;
    const { shortMs } = this.limits;
    try {
      return await this.inTurn(this.shortTurns, share, within(Math.min(shortMs, milliseconds)), refusal, signal);
    } catch (error) {
      if (!(error instanceof QueryTooLong) || milliseconds <= shortMs) throw error;
    }
    const refusedFor = this.refusedFor(organizationId);
    if (refusedFor > 0) throw new refusal(refusedFor);
    return this.inTurn(this.longTurns, share, within(milliseconds), refusal, signal);
  }

  private lane({ atOnce, atOnceOfProject }: { readonly atOnce: number; readonly atOnceOfProject: number }) {
    const { limits } = this;
    return new FairSemaphore({
      parallel: atOnce,
      parallelOfShare: atOnceOfProject,
      mostWaiting: MOST_WAITING,
      mostWaitingOfShare: MOST_WAITING_OF_PROJECT,
      patience: {
        get ms() {
          return limits.patienceMs;
        },
        refusal: NoTurn,
      },
      used: (share) => this.use.of(organizationOf(share)),
    });
  }

  private async inTurn<T>(
    turns: FairSemaphore,
    share: string,
    work: () => Promise<T>,
    refusal: new () => Error,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await turns.run(share, work, signal);
    } catch (error) {
      throw error instanceof NoTurn ? new refusal() : error;
    }
  }

  /** Counts the time of a read beyond that of a short read. */
  private async counted<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      const beyond = performance.now() - startedAt - SHORT_READ_MS;
      if (beyond > 0) this.use.add(organizationId, beyond);
    }
  }

  /** Whole seconds until an organization has time left; 0 when it has some. */
  private refusedFor(organizationId: string): number {
    return this.use.secondsUntilBelow(organizationId, this.limits.budgetMs);
  }
}

function shareOf({ organizationId, projectId }: Pick<ProjectScope, 'organizationId' | 'projectId'>): string {
  return `${organizationId} ${projectId}`;
}

function organizationOf(share: string): string {
  return share.slice(0, share.indexOf(' '));
}
