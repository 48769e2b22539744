import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { RecentUse } from './recent-use.js';

/** Time limit of a read that scans rows, in milliseconds. The read then fails with {@link QueryTooLong}. */
export const LONG_READ_MS = 8_000;

/** Slots of long reads. */
export const LONG_READ_SLOTS = {
  /** Slots of one process. Each holds a connection of the pool, which serves all other requests too. */
  atOnce: 2,
  atOnceOfProject: 1,
  /**
   * A read that has waited this long for a slot is refused. This is longer than a read may take, so that a slot becomes
   * free in this time.
   */
  timeoutMs: 10_000,
} as const;
/** Slots of short reads, which long reads never take. */
const SHORT_READ_SLOTS = { atOnce: 3, atOnceOfProject: 2 } as const;
/** Time limit of a read in a slot of short reads. */
const SHORT_READ_MS = 300;
/**
 * Time that the long reads of an organization may take in a minute, in one process. It is a third of the time of the
 * two slots. Beyond it, reads are refused.
 */
const LONG_READ_BUDGET_MS = 40_000;
/** The share of this time that background reads leave to other reads of their organization. */
const LEFT_BY_BACKGROUND = 0.5;
/** Maximum number of waiting reads. Beyond it, a read is refused at once. */
const MAX_QUEUED = 256;
const MAX_QUEUED_PER_PROJECT = 64;

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

class NoSlotAvailable extends Error {}

interface Options {
  /** Time limit of the read in a slot of long reads. */
  readonly milliseconds?: number;
  /** The error for a read that waits too long for a slot, or whose organization has used up its time. */
  readonly refusal?: new (retryAfterSeconds?: number) => Error;
  /** Ends the wait for a slot. A read that has started checks the signal itself. */
  readonly signal?: AbortSignal | undefined;
  /**
   * True for a read whose caller repeats it until it is done. It is refused once its organization has used half of its
   * time, so that the other half is left to requests that somebody waits for.
   */
  readonly isBackground?: boolean | undefined;
}

/**
 * Holds the slots of all reads of this process that may take long. It is not known beforehand which reads do. A read
 * starts in a slot of long reads if one is free and its organization has time left. Otherwise it starts in a slot of
 * short reads, and is started again in a slot of long reads when it exceeds the time limit of short reads. The
 * organization that has used the least time in the last minute is served first.
 */
@Injectable()
export class LongReads {
  /** The limits, which tests change. */
  readonly limits = {
    shortMs: SHORT_READ_MS,
    timeoutMs: LONG_READ_SLOTS.timeoutMs as number,
    budgetMs: LONG_READ_BUDGET_MS,
  };
  private readonly use = new RecentUse();
  private readonly shortSlots = this.lane(SHORT_READ_SLOTS);
  private readonly longSlots = this.lane(LONG_READ_SLOTS);

  /**
   * Runs a read in a slot.
   * @param read throws {@link QueryTooLong} when it takes longer than its milliseconds; it is then started again with
   * more time
   * @throws QueryTooLong, and the refusal of the options
   */
  async run<T>(
    scope: Pick<ProjectScope, 'organizationId' | 'projectId'>,
    read: (milliseconds: number) => Promise<T>,
    { milliseconds = LONG_READ_MS, refusal = TooManyQueries, signal, isBackground = false }: Options = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const { organizationId } = scope;
    const share = shareOf(scope);
    const within = (time: number) => (): Promise<T> => this.counted(organizationId, () => read(time));
    const now =
      this.refusedFor(organizationId, isBackground) > 0 ? null : this.longSlots.runNow(share, within(milliseconds));
    if (now !== null) return now;
    const { shortMs } = this.limits;
    try {
      return await this.withSlot(this.shortSlots, share, within(Math.min(shortMs, milliseconds)), refusal, signal);
    } catch (error) {
      if (!(error instanceof QueryTooLong) || milliseconds <= shortMs) throw error;
    }
    const refusedFor = this.refusedFor(organizationId, isBackground);
    if (refusedFor > 0) throw new refusal(refusedFor);
    return this.withSlot(this.longSlots, share, within(milliseconds), refusal, signal);
  }

  private lane({ atOnce, atOnceOfProject }: { readonly atOnce: number; readonly atOnceOfProject: number }) {
    const { limits } = this;
    return new FairSemaphore({
      parallel: atOnce,
      maxPerKey: atOnceOfProject,
      maxQueued: MAX_QUEUED,
      maxQueuedPerKey: MAX_QUEUED_PER_PROJECT,
      timeout: {
        get ms() {
          return limits.timeoutMs;
        },
        refusal: NoSlotAvailable,
      },
      used: (share) => this.use.of(organizationOf(share)),
    });
  }

  private async withSlot<T>(
    slots: FairSemaphore,
    share: string,
    work: () => Promise<T>,
    refusal: new () => Error,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await slots.run(share, work, signal);
    } catch (error) {
      throw error instanceof NoSlotAvailable ? new refusal() : error;
    }
  }

  /** Runs a read and counts its time beyond that of a short read. */
  private async counted<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      const beyond = performance.now() - startedAt - SHORT_READ_MS;
      if (beyond > 0) this.use.add(organizationId, beyond);
    }
  }

  /** Returns the whole seconds until an organization has time left, or 0 when it has time now. */
  private refusedFor(organizationId: string, isBackground: boolean): number {
    const share = isBackground ? 1 - LEFT_BY_BACKGROUND : 1;
    return this.use.secondsUntilBelow(organizationId, this.limits.budgetMs * share);
  }
}

function shareOf({ organizationId, projectId }: Pick<ProjectScope, 'organizationId' | 'projectId'>): string {
  return `${organizationId} ${projectId}`;
}

function organizationOf(share: string): string {
  return share.slice(0, share.indexOf(' '));
}
