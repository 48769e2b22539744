import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { shortReason } from '../../../../platform/clickhouse/index.js';
import { LogThrottle, type Metrics } from '../../../../platform/telemetry/index.js';
import { type Replicator, StoresDiffer } from './replicator.js';

const IDLE_MS = 500;
/**
 * Every block creates parts on disk, regardless of its size. After a block with fewer events than `FEW_EVENTS`, the
 * next block starts `APART_MS` after the start of that block at the earliest.
 */
const FEW_EVENTS = 10_000;
const APART_MS = 1_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Replicates events as long as the process runs. After a failure it waits, each time longer. */
export class ReplicationLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /**
   * The pause when the queue is empty, the interval between small blocks, and the limit of the wait. Tests lower them.
   */
  idleMs = IDLE_MS;
  apartMs = APART_MS;
  longestWaitMs = LONGEST_WAIT_MS;
  private readonly logger = new Logger('event-store');
  private readonly seldom = new LogThrottle();
  private readonly stopping = new AbortController();
  /** Ends the present pause. */
  private alarm = new AbortController();
  private readonly replicated;
  private readonly failures;
  private readonly seconds;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly replicator: Replicator,
    metrics: Metrics,
  ) {
    this.replicated = metrics.counter(
      'oes_event_shipping_events_total',
      'Events that this process has copied to the event store',
    );
    this.failures = metrics.counter('oes_event_shipping_failures_total', 'Blocks of events that could not be copied');
    this.seconds = metrics.histogram('oes_event_shipping_block_seconds', 'Time of a block, from its choice to its end');
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /**
   * Starts the next round at once. Tests use it, so that they do not wait for the pause before each of thousands of
   * reads.
   */
  wake(): void {
    this.alarm.abort();
  }

  /** The block in progress is abandoned. The next process sends it again. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
    await this.replicator.close();
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let waitMs = 0;
    while (!this.isStopping()) {
      try {
        waitMs = await this.round(signal);
      } catch (error) {
        if (this.isStopping()) return;
        this.reportFailure(error);
        waitMs = Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), this.longestWaitMs);
      }
      if (waitMs > 0 && !this.isStopping()) await this.rest(waitMs);
    }
  }

  private async rest(ms: number): Promise<void> {
    this.alarm = new AbortController();
    await pause(ms, undefined, { signal: this.alarm.signal }).catch(() => undefined);
  }

  /** @returns the pause before the next round in milliseconds */
  private async round(signal: AbortSignal): Promise<number> {
    const startedAt = performance.now();
    const events = await this.replicator.replicateNext(signal);
    if (events === null) return this.idleMs;
    const tookMs = performance.now() - startedAt;
    this.replicated.inc(events);
    this.seconds.observe(tookMs / 1_000);
    return events < FEW_EVENTS ? Math.max(this.apartMs - tookMs, 0) : 0;
  }

  private reportFailure(error: unknown): void {
    this.failures.inc();
    const reason = error instanceof StoresDiffer ? error.message : shortReason(error);
    this.seldom.happened(reason, (times) =>
      this.logger.warn(`events are not copied: ${reason}, ${times} times since the last such line`),
    );
  }
}
