import type { OnApplicationShutdown } from '@nestjs/common';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import { BatchWriter, failOverdue } from './batch-writer.js';
import {
  type BatchStore,
  EventIntake,
  IdempotencyKeyInProgress,
  PendingWrite,
  type Verdict,
  type WriteRequest,
} from '../../event-store/index.js';

export interface EventWriterOptions {
  /** Connections; each writes one batch at a time. */
  readonly stores: readonly BatchStore[];
  /** Most events of a batch; a request is never divided, so a larger one goes alone. */
  readonly batchMax: number;
  /** Longest wait for more events, in milliseconds. */
  readonly batchWaitMs: number;
  /** A transaction for each request. */
  readonly alone: boolean;
  /** Told after each commit. */
  readonly onWritten: (events: number, seconds: number) => void;
  readonly onFault: (error: unknown, what: string) => void;
}

/** Beyond these, requests are refused: memory must not fill while the database is slow or away. */
const MOST_WAITING_EVENTS = 20_000;
const MOST_WAITING_CHARACTERS = 64 * 1024 * 1024;
const MOST_BATCH_CHARACTERS = 8 * 1024 * 1024;
/** How long a request may wait for a database that is away. */
const WAIT_LIMIT_MS = 5_000;

/**
 * Writes requests in batches: what has come in while the connections were busy leaves together when one is free, in one
 * transaction, and each request is answered with its own verdict after the commit. An idle writer writes at once.
 */
export class EventWriter extends EventIntake implements OnApplicationShutdown {
  private readonly writers: readonly BatchWriter[];
  private readonly free: BatchWriter[];
  private readonly queue: PendingWrite[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly keysInProgress = new Set<string>();
  /** What has no verdict yet, in the order in which it came, with the time of `performance.now()`. */
  private readonly unsettled = new Map<PendingWrite, number>();
  /** Of the queue, where requests without an event count as one. */
  private queuedEvents = 0;
  private waitingEvents = 0;
  private waitingCharacters = 0;
  /** Requests of the last batch: more than one tells that there is something to wait for. */
  private lastBatch = 1;

  constructor(private readonly options: EventWriterOptions) {
    super();
    this.writers = options.stores.map(
      (store) => new BatchWriter({ ...options, store, onAway: () => this.dropOverdue() }),
    );
    this.free = [...this.writers];
  }

  /** How many events wait or are being written. */
  get backlog(): number {
    return this.waitingEvents;
  }

  /** For how long the oldest request has waited and been written, in milliseconds. */
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

  /** Resolves when everything taken so far has its verdict, and lets the connections go. */
  async close(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    await Promise.all(this.writers.map((writer) => writer.close()));
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
   * Whether another connection has something to do. Small requests are cheapest together on one; while that writes, only
   * what fills a batch by itself goes beside it, so that the database reads the events of one while it commits the other.
   */
  private mayWrite(others: number): boolean {
    const least = this.options.alone || others === 0 ? 1 : this.options.batchMax;
    return this.queuedEvents >= least;
  }

  private async run(writer: BatchWriter): Promise<void> {
    // Whatever else this turn of the loop brings comes along.
    await nextTurn();
    while (this.mayWrite(this.running.size - 1)) {
      await this.gather();
      const batch = this.take();
      this.lastBatch = batch.length;
      await writer.write(batch);
    }
  }

  /** Under load, waits until about as many requests are there as came last, and at most as long as configured. */
  private async gather(): Promise<void> {
    const { batchWaitMs, alone } = this.options;
    if (alone || batchWaitMs === 0 || this.lastBatch <= 1) return;
    const until = performance.now() + batchWaitMs;
    while (this.queue.length < this.lastBatch / 2 && performance.now() < until) await pause(1);
  }

  /** The next batch: requests of one day within the limits of events and memory, or a single one beyond them. */
  private take(): PendingWrite[] {
    const [first] = this.queue;
    let events = 0;
    let characters = 0;
    let count = 0;
    for (const write of this.queue) {
      events += weightOf(write);
      characters += write.size;
      const fits = events <= this.options.batchMax && characters <= MOST_BATCH_CHARACTERS && write.day === first?.day;
      if (count > 0 && (this.options.alone || !fits)) break;
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
