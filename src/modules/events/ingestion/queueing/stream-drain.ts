import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../../platform/ids/index.js';
import { writeFaultOf } from '../writing/write-faults.js';
import type { EventIntake, Sender, Verdict, WriteRequest } from '../../event-store/index.js';
import type { Entry, RequestStream } from './request-stream.js';
import type { QueueDrainNotifier } from './queue-drain-notifier.js';
import { type AcceptedRequest, decodeRequest } from './queued-request.js';

const MOST_ENTRIES = 500;
/** Events handed to the writer at a time; it refuses more than it can hold. */
const MOST_EVENTS = 5_000;
const BLOCK_MS = 1_000;
/** Another worker's entries are taken over when it has had them for so long: it has died, or is stuck. */
const ABANDONED_MS = 15_000;
const CLAIM_EVERY_MS = 5_000;
const FORGET_CONSUMER_MS = 3_600_000;
const RETRY_MS = 500;

/**
 * Stores what lies in the stream, in batches and once each: events keep the ids they were accepted with, and an entry is
 * let go only after the commit. An entry that was left over is looked for in the table before it is written again.
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
    // While the database is away each entry of a group waits for it, or for the end.
    setMaxListeners(MOST_ENTRIES + 1, this.stopping.signal);
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /** Finishes what it holds; what it has not read yet stays in the stream. */
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
        // The stream may be gone with everything else Redis had.
        isPrepared = false;
        this.logger.warn(`the queue is not drained: ${error instanceof Error ? error.message : 'unknown'}`);
        await pause(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** What is held when the drain stops may be left unstored. */
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

  /** Rejects when Redis was lost: then the entry stays, and is found to be stored when its turn comes again. */
  private async storeOne(entry: Entry, accepted: AcceptedRequest): Promise<void> {
    let request = accepted;
    const { sender, acceptedAt } = accepted;
    for (;;) {
      try {
        const verdict = await this.write(request);
        if (verdict.kind === 'closed') this.logger.log(`events of removed project ${sender.projectId} dropped`);
        break;
      } catch (error) {
        // Only what the database refuses for itself is put aside; everything else may pass.
        if (writeFaultOf(error) === 'data') {
          return this.bury(entry, sender, error instanceof Error ? error.message : 'unknown');
        }
        if (this.stopping.signal.aborted) return;
        request = { ...request, mayBeWritten: true };
        await pause(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
    await this.stream.release(entry, sender, acceptedAt);
  }

  /** What was promised to be stored is stored, if need be without what has become impossible meanwhile. */
  private async write(request: WriteRequest): Promise<Verdict> {
    const verdict = await this.writer.submit(request);
    // The key was used elsewhere, for something else.
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
