import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../../platform/ids/index.js';
import { writeFaultOf } from '../writing/write-faults.js';
import type { EventIntake, Sender, Verdict, WriteRequest } from '../../event-store/index.js';
import type { Entry, RequestStream } from './request-stream.js';
import type { QueueDrainNotifier } from './queue-drain-notifier.js';
import { type AcceptedRequest, decodeRequest } from './queued-request.js';
import { errorMessage } from '../../../../platform/errors/index.js';

const MOST_ENTRIES = 500;
/** Maximum number of events that are passed to the writer at a time. The writer refuses more than it can hold. */
const MOST_EVENTS = 5_000;
const BLOCK_MS = 1_000;
/** Time after which the entries of another worker are taken over, because that worker has died or hangs. */
const ABANDONED_MS = 15_000;
const CLAIM_EVERY_MS = 5_000;
const FORGET_CONSUMER_MS = 3_600_000;
const RETRY_MS = 500;

/**
 * Stores the entries of the stream in batches, each entry once. Events keep the ids with which they were accepted, and
 * an entry is released only after the commit. The events of an entry taken over from another worker are looked up in
 * the table before they are written.
 */
export class StreamDrain implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly consumer = newId();
  private readonly logger = new Logger('ingestion');
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private claimedAt = 0;

  constructor(
    private readonly stream: RequestStream,
    private readonly writer: EventIntake,
    private readonly drained: Pick<QueueDrainNotifier, 'tell'>,
  ) {
    // While the database is unavailable, each entry of a group listens to this signal.
    setMaxListeners(MOST_ENTRIES + 1, this.stopping.signal);
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /** Finishes the entries that it has read. The rest stays in the stream. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    let isPrepared = false;
    while (!this.stopping.signal.aborted) {
      try {
        if (!isPrepared) await this.stream.prepare();
        isPrepared = true;
        await this.claim();
        const entries = await this.stream.read(this.consumer, MOST_ENTRIES, BLOCK_MS);
        for (const group of groupsOf(entries)) await this.store(group, false);
        if (entries.length < MOST_ENTRIES) this.tellDrained();
      } catch (error) {
        // Redis may have lost its data and with it the stream.
        isPrepared = false;
        this.logger.warn(`the queue is not drained: ${errorMessage(error)}`);
        await pause(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** Notifies listeners, unless the drain is stopping: then some entries may not have been stored. */
  private tellDrained(): void {
    if (!this.stopping.signal.aborted) this.drained.tell();
  }

  private async claim(): Promise<void> {
    if (performance.now() - this.claimedAt < CLAIM_EVERY_MS) return;
    this.claimedAt = performance.now();
    for (;;) {
      const entries = await this.stream.claim(this.consumer, MOST_ENTRIES, ABANDONED_MS);
      for (const group of groupsOf(entries)) await this.store(group, true);
      if (entries.length === 0) break;
    }
    await this.stream.forgetConsumers(FORGET_CONSUMER_MS);
  }

  private async store(entries: readonly Entry[], mayBeWritten: boolean): Promise<void> {
    const work = await this.readable(entries);
    await this.stream.begin(work.map(({ entry, request }) => ({ entry, sender: request.sender })));
    const outcomes = await Promise.allSettled(
      work.map(({ entry, request }) => this.storeOne(entry, { ...request, mayBeWritten })),
    );
    const failure = outcomes.find(({ status }) => status === 'rejected');
    if (failure?.status === 'rejected') throw failure.reason;
  }

  private async readable(entries: readonly Entry[]): Promise<{ entry: Entry; request: AcceptedRequest }[]> {
    const work: { entry: Entry; request: AcceptedRequest }[] = [];
    for (const entry of entries) {
      try {
        work.push({ entry, request: decodeRequest(entry.payload, entry.admitted, entry.ending) });
      } catch {
        await this.bury(entry, null, 'it cannot be read');
      }
    }
    return work;
  }

  /**
   * Stores the events of an entry and releases it. Rejects when Redis was lost: the entry then stays in the stream, and
   * is found to be stored when it is claimed again.
   */
  private async storeOne(entry: Entry, accepted: AcceptedRequest): Promise<void> {
    let request = accepted;
    const { sender, acceptedAt } = accepted;
    for (;;) {
      try {
        const verdict = await this.write(request);
        if (verdict.kind === 'closed') this.logger.log(`events of removed project ${sender.projectId} dropped`);
        break;
      } catch (error) {
        // Only an entry whose own data the database refuses becomes a dead letter. Every other error may be temporary.
        if (writeFaultOf(error) === 'data') {
          return this.bury(entry, sender, errorMessage(error));
        }
        if (this.stopping.signal.aborted) return;
        request = { ...request, mayBeWritten: true };
        await pause(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
    await this.stream.release(entry, sender, acceptedAt);
  }

  /**
   * Writes an accepted request in any case: without its idempotency key or its source, when these now prevent the
   * write.
   */
  private async write(request: WriteRequest): Promise<Verdict> {
    const verdict = await this.writer.submit(request);
    // Another request has used the idempotency key in the meantime.
    if (verdict.kind === 'conflict') return this.write({ ...request, idempotency: null });
    if (verdict.kind !== 'closed' || verdict.why !== 'source_gone') return verdict;
    return this.write({ ...request, sender: { ...request.sender, sourceId: null } });
  }

  private async bury(entry: Entry, sender: Sender | null, reason: string): Promise<void> {
    this.logger.error(`entry ${entry.id} of the queue was put aside: ${reason}`);
    await this.stream.bury(entry, sender, reason);
  }
}

function* groupsOf(entries: readonly Entry[]): Generator<Entry[]> {
  let group: Entry[] = [];
  let events = 0;
  for (const entry of entries) {
    if (group.length > 0 && events + entry.admitted > MOST_EVENTS) {
      yield group;
      [group, events] = [[], 0];
    }
    group.push(entry);
    events += entry.admitted;
  }
  if (group.length > 0) yield group;
}
