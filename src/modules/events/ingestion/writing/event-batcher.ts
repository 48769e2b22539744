import type { OnApplicationShutdown } from '@nestjs/common';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import { BatchCommitter, failOverdue } from './batch-committer.js';
import {
  type BatchStore,
  EventIntake,
  IdempotencyKeyInProgress,
  PendingWrite,
  type Verdict,
  type WriteRequest,
} from '../../event-store/index.js';

export interface EventBatcherOptions {
  /** The connections. Each writes one batch at a time. */
  readonly stores: readonly BatchStore[];
  /** Maximum number of events in a batch. A request is never divided, so a larger one is a batch by itself. */
  readonly batchMax: number;
  /** Longest wait for further requests, in milliseconds. */
  readonly batchWaitMs: number;
  /** Whether each request has its own transaction. */
  readonly alone: boolean;
  /** Called after each commit. */
  readonly onWritten: (batch: readonly PendingWrite[], seconds: number) => void;
  readonly onFault: (error: unknown, what: string) => void;
}

/** Beyond these limits requests are refused: memory must not fill up while the database is slow or unavailable. */
const MOST_WAITING_EVENTS = 20_000;
const MOST_WAITING_CHARACTERS = 64 * 1024 * 1024;
const MOST_BATCH_CHARACTERS = 8 * 1024 * 1024;
/** How long a request may wait for an unavailable database. */
const WAIT_LIMIT_MS = 5_000;

/**
 * Writes requests in batches. Requests that arrived while the connections were busy are written in one transaction as
 * soon as a connection is free, and each gets its own verdict after the commit. An idle batcher writes at once.
 */
export class EventBatcher extends EventIntake implements OnApplicationShutdown {
  private readonly committers: readonly BatchCommitter[];
  private readonly free: BatchCommitter[];
  private readonly queue: PendingWrite[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly keysInProgress = new Set<string>();
  /** Requests without a verdict, in the order of their arrival, with the time of arrival (`performance.now()`). */
  private readonly unsettled = new Map<PendingWrite, number>();
  /** Number of events in the queue. A request without events counts as one. */
  private queuedEvents = 0;
  private waitingEvents = 0;
  private waitingCharacters = 0;
  /** Number of requests in the last batch. More than one means that waiting for further requests is worthwhile. */
  private lastBatch = 1;

  constructor(private readonly options: EventBatcherOptions) {
    super();
    this.committers = options.stores.map(
      (store) => new BatchCommitter({ ...options, store, onAway: () => this.dropOverdue() }),
    );
    this.free = [...this.committers];
  }

  /** Returns the number of events that wait or are being written. */
  get backlog(): number {
    return this.waitingEvents;
  }

  /** Returns the age of the oldest request without a verdict, in milliseconds. */
  get oldestMs(): number {
    const [came] = this.unsettled.values();
    return came === undefined ? 0 : performance.now() - came;
  }

  async submit(request: WriteRequest): Promise<Verdict> {
    const { sender, idempotency, events } = request;
    const key = idempotency === null ? null : `${sender.apiKeyId} ${idempotency.key}`;
    if (key !== null && this.keysInProgress.has(key)) throw new IdempotencyKeyInProgress();
    const now = performance.now();
    const write = new PendingWrite(request, key === null ? '' : newId(), now + WAIT_LIMIT_MS);
    if (this.isFull(write)) throw new ServiceOverloaded();

    if (key !== null) this.keysInProgress.add(key);
    this.waitingEvents += events.length;
    this.waitingCharacters += write.size;
    this.unsettled.set(write, now);
    this.queue.push(write);
    this.queuedEvents += weightOf(write);
    this.dispatch();
    try {
      return await write.verdict;
    } finally {
      this.unsettled.delete(write);
      if (key !== null) this.keysInProgress.delete(key);
      this.waitingEvents -= events.length;
      this.waitingCharacters -= write.size;
    }
  }

  /** Waits until every accepted request has its verdict, then closes the connections. */
  async close(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    await Promise.all(this.committers.map((writer) => writer.close()));
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private isFull({ events, size }: PendingWrite): boolean {
    return (
      this.waitingEvents > 0 &&
      (this.waitingEvents + events.length > MOST_WAITING_EVENTS ||
        this.waitingCharacters + size > MOST_WAITING_CHARACTERS)
    );
  }

  private dispatch(): void {
    if (!this.mayWrite(this.running.size)) return;
    const writer = this.free.pop();
    if (writer === undefined) return;
    const run = this.run(writer).finally(() => {
      this.running.delete(run);
      this.free.push(writer);
      if (this.queue.length > 0) this.dispatch();
    });
    this.running.add(run);
  }

  /**
   * Returns whether one more connection should write. Small requests are cheapest together on one connection. A second
   * connection is used only for a full batch, so that the database reads its events while it commits the first batch.
   */
  private mayWrite(others: number): boolean {
    const least = this.options.alone || others === 0 ? 1 : this.options.batchMax;
    return this.queuedEvents >= least;
  }

  private async run(writer: BatchCommitter): Promise<void> {
    // Yields once so that requests from the same turn of the event loop join the batch.
    await nextTurn();
    while (this.mayWrite(this.running.size - 1)) {
      await this.gather();
      const batch = this.take();
      this.lastBatch = batch.length;
      await writer.write(batch);
    }
  }

  /**
   * Under load, waits until at least half as many requests as in the last batch have arrived, and at most
   * `batchWaitMs`.
   */
  private async gather(): Promise<void> {
    const { batchWaitMs, alone } = this.options;
    if (alone || batchWaitMs === 0 || this.lastBatch <= 1) return;
    const until = performance.now() + batchWaitMs;
    while (this.queue.length < this.lastBatch / 2 && performance.now() < until) await pause(1);
  }

  /**
   * Removes the next batch from the queue: requests of one day with different unique keys, within the limits of events
   * and memory, or one request that exceeds them.
   */
  private take(): PendingWrite[] {
    const [first] = this.queue;
    let events = 0;
    let characters = 0;
    let count = 0;
    const uniqueNames = new Set<string>();
    for (const write of this.queue) {
      events += weightOf(write);
      characters += write.size;
      const fits =
        events <= this.options.batchMax &&
        characters <= MOST_BATCH_CHARACTERS &&
        write.day === first?.day &&
        !write.uniqueNames.some((name) => uniqueNames.has(name));
      if (count > 0 && (this.options.alone || !fits)) break;
      for (const name of write.uniqueNames) uniqueNames.add(name);
      count += 1;
    }
    return this.taken(this.queue.splice(0, count));
  }

  private dropOverdue(): void {
    failOverdue(this.queue);
    for (let at = this.queue.length - 1; at >= 0; at -= 1) {
      if (this.queue[at]?.isSettled === true) this.taken(this.queue.splice(at, 1));
    }
  }

  private taken(writes: PendingWrite[]): PendingWrite[] {
    for (const write of writes) this.queuedEvents -= weightOf(write);
    return writes;
  }
}

function weightOf({ events }: PendingWrite): number {
  return Math.max(events.length, 1);
}
