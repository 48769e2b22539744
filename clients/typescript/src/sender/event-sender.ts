import { attempt, KEEPALIVE_BYTES, type Outcome, type Target } from './attempt.js';
import { type Batch, EventQueue, halves } from './event-queue.js';
import { lineOf } from './event-line.js';
import { isPage, onExit } from './exit-hooks.js';
import type { Loss, SenderOptions, SentEvent } from './sender-options.js';

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
/** How long a program that has nothing else to do waits for what it has sent. */
const EXIT_LIMIT_MS = 5_000;
/** What the service takes in a request. */
const MOST_EVENTS = 1_000;

type Timer = ReturnType<typeof setTimeout>;

/** Somebody who waits until so many events have been decided on. */
interface Flush {
  readonly events: number;
  readonly done: (isDone: boolean) => void;
}

/**
 * Sends events in the background. `send` costs a line of JSON and never waits or throws; batches go out one after the
 * other, each as often as it takes and stored once, through restarts of the service. What waits is bounded.
 */
export class EventSender {
  private readonly queue: EventQueue;
  private readonly target: Target;
  private readonly maxBatchEvents: number;
  private readonly maxBatchBytes: number;
  private readonly forgetExit: () => void;
  /** The batch that has no answer yet. */
  private held: Batch | null = null;
  /** What a page that was left has sent beside it; nothing else goes out before that is decided. */
  private beside: Promise<void> | null = null;
  private isRunning = false;
  private timer: Timer | null = null;
  /** End the waits for the next try: two batches may wait at a time. */
  private readonly wakers = new Set<() => void>();
  private flushes: Flush[] = [];
  /** Events that were taken along, and those of them that are stored or refused. */
  private taken = 0;
  private decided = 0;
  /** No more are taken; when it has given up, none is sent either. */
  private isClosed = false;
  private hasGivenUp = false;

  constructor(private readonly options: SenderOptions) {
    const { url, apiKey, timeoutMs = 10_000, maxQueuedBytes = 8 * 1024 * 1024 } = options;
    const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.target = { url: url.replace(/\/+$/, ''), apiKey, timeoutMs, fetch };
    this.queue = new EventQueue(maxQueuedBytes);
    this.maxBatchEvents = Math.min(MOST_EVENTS, options.maxBatchEvents ?? 200);
    this.maxBatchBytes = options.maxBatchBytes ?? (isPage() ? KEEPALIVE_BYTES : 512 * 1024);
    this.forgetExit = options.flushOnExit === false ? () => undefined : onExit(() => this.leave());
  }

  /** Events that are not known to be stored. */
  get pending(): number {
    return this.taken - this.decided;
  }

  /** Takes an event along. It is written down here: what changes in it later changes nothing. */
  send(event: SentEvent): void {
    if (this.isClosed) return this.lose({ reason: 'closed', events: 1 });
    let text: string;
    try {
      const [timestamp, source] = [event.timestamp ?? new Date(), event.source ?? this.options.source];
      text = lineOf({ ...event, timestamp, source });
    } catch {
      return this.lose({ reason: 'unserializable', events: 1 });
    }
    if (!this.queue.add(text, this.held?.bytes ?? 0)) return this.lose({ reason: 'full', events: 1 });
    this.taken += 1;
    if (this.isRunning) return;
    if (this.queue.length >= this.maxBatchEvents || this.queue.bytes >= this.maxBatchBytes) this.start();
    else this.timer ??= later(this.options.maxWaitMs ?? 1_000, () => this.start());
  }

  /**
   * Sends what waits now, at once, and keeps the program alive meanwhile.
   * @returns whether all that was sent before is stored or refused; false when that took too long
   */
  flush({ timeoutMs = 30_000 }: { readonly timeoutMs?: number } = {}): Promise<boolean> {
    return new Promise((resolve) => {
      const late = setTimeout(() => flush.done(false), timeoutMs);
      const flush: Flush = {
        events: this.taken,
        done: (isDone) => {
          clearTimeout(late);
          this.flushes = this.flushes.filter((one) => one !== flush);
          resolve(isDone);
        },
      };
      this.flushes.push(flush);
      this.wakeAll();
      this.start();
      this.tellFlushes();
    });
  }

  /** Takes no more events and flushes. What has no answer then is given up. @returns as `flush` does */
  async close(options?: { readonly timeoutMs?: number }): Promise<boolean> {
    this.forgetExit();
    this.isClosed = true;
    const isDone = await this.flush(options);
    if (!isDone && !this.hasGivenUp) {
      this.hasGivenUp = true;
      this.lose({ reason: 'closed', events: this.pending });
      this.wakeAll();
    }
    return isDone;
  }

  private leave(): void {
    if (isPage()) this.sendBeside();
    void this.flush({ timeoutMs: EXIT_LIMIT_MS });
  }

  /** A page that is left hears no answer: as much as browsers let outlive it goes at once, beside the batch under way. */
  private sendBeside(): void {
    const room = KEEPALIVE_BYTES - (this.held?.bytes ?? 0);
    if (this.beside !== null || room <= 0) return;
    const batch = this.queue.take(MOST_EVENTS, room);
    if (batch === null) return;
    this.beside = this.deliver(batch).then(() => void (this.beside = null));
  }

  private decide({ lines }: Batch): void {
    this.decided += lines.length;
    this.tellFlushes();
  }

  private start(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (!this.isRunning) void this.run();
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    this.isRunning = true;
    // What the program sends in this turn comes along.
    await Promise.resolve();
    await this.beside;
    while (!this.hasGivenUp && (this.held = this.queue.take(this.maxBatchEvents, this.maxBatchBytes)) !== null) {
      await this.deliver(this.held);
      this.held = null;
      await this.beside;
    }
    this.isRunning = false;
  }

  /** Sends a batch until the service has decided on all of it, or nobody waits for that any more. */
  private async deliver(batch: Batch): Promise<void> {
    for (let tries = 0; !this.hasGivenUp; tries += 1) {
      const outcome = await attempt(batch, this.target);
      if (outcome.kind === 'again') {
        // Whoever flushes waits for a service that is away, and not until it asks for more.
        await this.pause(this.flushes.length > 0 ? backoff(tries) : Math.max(outcome.afterMs, backoff(tries)));
      } else if (outcome.kind === 'tooLarge' && batch.lines.length > 1) {
        for (const half of halves(batch)) await this.deliver(half);
        return;
      } else {
        this.loseRefused(batch, outcome);
        break;
      }
    }
    this.decide(batch);
  }

  private loseRefused({ lines }: Batch, outcome: Exclude<Outcome, { kind: 'again' }>): void {
    if (outcome.kind !== 'stored') {
      const { status, detail } = outcome;
      this.lose({ reason: 'refused', events: lines.length, ...(status !== undefined && { status }), detail });
    } else if (outcome.refused > 0) {
      this.lose({ reason: 'refused', events: outcome.refused, status: outcome.status, detail: outcome.detail });
    }
  }

  /** Until the next try, or until somebody flushes. */
  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      const timer = later(milliseconds, wake);
      this.wakers.add(wake);
    });
  }

  private wakeAll(): void {
    for (const wake of [...this.wakers]) wake();
  }

  private tellFlushes(): void {
    for (const flush of this.flushes) if (flush.events <= this.decided) flush.done(true);
  }

  private lose(loss: Loss): void {
    try {
      this.options.onLoss?.(loss);
    } catch {
      // Whoever sends events must not fall over one who listens to their loss.
    }
  }
}

/** A timer that keeps no program alive: a flush does. */
function later(milliseconds: number, call: () => void): Timer {
  const timer = setTimeout(call, milliseconds);
  // Timers of pages are numbers.
  (timer as { unref?(): void }).unref?.();
  return timer;
}

/** Doubling, up to half a minute, less up to a half by chance so that many senders do not come back as one. */
function backoff(tries: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** tries) * (1 - Math.random() / 2);
}
