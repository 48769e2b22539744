import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectId } from '../../access/index.js';
import type { FairSemaphore } from '../../../platform/concurrency/index.js';
import { type EventStream, frameOf } from '../../../platform/http/event-stream.js';
import { FeedBatch } from './feed-batch.js';
import { type FeedPlace, type FeedRead, type FeedSource, isAfter } from './feed-source.js';

const POLL_MS = 1_000;
/** Rows of one read (SERVICE 4.4). */
const BATCH = 100;
/** Rows of the first read, when nobody knows how large they are; from one read to the next it may double. */
const FIRST_BATCH = 10;
/** Characters that a read aims at, so that large rows are read few at a time. */
const AIMED_SIZE = 500_000;
/** What a client is told of a failure; the log has its cause. */
const CANNOT_READ = 'The stream cannot be read at the moment; it goes on by itself';

/** What a feed needs of a stream. */
export type FeedClient = Pick<EventStream, 'openedAt' | 'isOpen' | 'isFull' | 'send' | 'drained' | 'whenClosed'>;

interface Reader {
  readonly stream: FeedClient;
  /** Of the last row sent; null before the first. */
  place: FeedPlace | null;
}

export interface FeedOptions {
  readonly projectId: ProjectId;
  readonly source: FeedSource;
  /** Of all feeds together. */
  readonly turns: FairSemaphore;
  readonly nowMs: () => number;
  /** Told once for each streak of failures. */
  readonly onFailure: (error: unknown) => void;
  readonly pollMs?: number;
}

/**
 * One source of one project and all who read it. A reader begins with reads of its own; once it has caught up it shares
 * the poll of the feed, which reads each row once and makes one frame of it for all. A reader that does not keep up
 * leaves the poll and goes on with reads of its own, so nothing waits for it but what its socket holds.
 */
export class Feed {
  private readonly abreast = new Set<Reader>();
  private readonly all = new Set<Reader>();
  /** Of the last row the shared poll has read. */
  private place: FeedPlace | null = null;
  private until = new Date(0);
  private batch = FIRST_BATCH;
  private polling = false;
  private failing = false;

  constructor(private readonly options: FeedOptions) {}

  get readers(): number {
    return this.all.size;
  }

  /** Serves the stream until it is closed. */
  join(stream: FeedClient): void {
    const reader: Reader = { stream, place: null };
    this.all.add(reader);
    stream.whenClosed(() => {
      this.all.delete(reader);
      this.abreast.delete(reader);
    });
    void this.catchUp(reader, true);
  }

  /** Never rejects. */
  private async catchUp(reader: Reader, isNew = false): Promise<void> {
    const { source, projectId } = this.options;
    let begins = isNew;
    while (await reader.stream.drained()) {
      try {
        if (begins) reader.place = await this.take((until) => source.start(projectId, until));
        begins = false;
        const { batch } = this;
        const read = await this.take((until) => source.read(projectId, reader.place, until, batch));
        this.recovered();
        if (read !== null) {
          await this.giveSlowly(reader, this.outgoingOf(read));
          if (read.hasMore) continue;
          if (this.isAbreast(reader)) return this.share(reader);
          if (read.items.length > 0) continue;
        } else this.heartbeat(reader);
      } catch (error) {
        this.failed(error);
        this.heartbeat(reader, CANNOT_READ);
      }
      await pause(this.pollMs);
    }
  }

  /** In one go with the question before, so that no poll comes between the two. */
  private isAbreast(reader: Reader): boolean {
    if (this.abreast.size === 0) this.place = reader.place;
    return this.place === null || (reader.place !== null && !isAfter(this.place, reader.place));
  }

  private share(reader: Reader): void {
    if (!reader.stream.isOpen) return;
    this.abreast.add(reader);
    if (!this.polling) void this.poll();
  }

  /** About once a second, while somebody shares it. Never rejects. */
  private async poll(): Promise<void> {
    this.polling = true;
    try {
      for (;;) {
        await pause(this.pollMs);
        if (this.abreast.size === 0) return;
        await this.round();
      }
    } finally {
      this.polling = false;
      if (this.abreast.size > 0) void this.poll();
    }
  }

  private async round(): Promise<void> {
    const { source, projectId } = this.options;
    const served = new Set<Reader>();
    try {
      for (let more = true; more && this.abreast.size > 0;) {
        const { batch, place } = this;
        const read = await this.take((until) => source.read(projectId, place, until, batch));
        this.recovered();
        if (read === null) break;
        const outgoing = this.outgoingOf(read);
        more = read.hasMore;
        // Unless everybody had left and somebody came who begins elsewhere.
        if (this.place === place) {
          this.place = read.items.at(-1)?.place ?? place;
          for (const reader of this.giveAll(outgoing)) served.add(reader);
        } else more = true;
        outgoing.given();
      }
      for (const reader of this.abreast) if (!served.has(reader)) this.heartbeat(reader);
    } catch (error) {
      this.failed(error);
      for (const reader of this.abreast) this.heartbeat(reader, CANNOT_READ);
    }
  }

  /** To all who share the poll; who is full leaves it. @returns those who were sent something */
  private giveAll(outgoing: FeedBatch): Reader[] {
    const served: Reader[] = [];
    for (const reader of this.abreast) {
      const before = reader.place;
      const kept = this.send(reader, outgoing);
      if (reader.place !== before) served.push(reader);
      if (kept) continue;
      this.abreast.delete(reader);
      void this.catchUp(reader);
    }
    return served;
  }

  /** Sends what the reader has not had. @returns false when it is full before the end */
  private send(reader: Reader, outgoing: FeedBatch): boolean {
    for (const [index, { place }] of outgoing.items.entries()) {
      const frame = outgoing.frames[index];
      if (frame === undefined || !isAfter(place, reader.place)) continue;
      if (reader.stream.isFull) return false;
      reader.stream.send(frame, outgoing.taken());
      reader.place = place;
    }
    return true;
  }

  /** Sends what the reader has not had, as fast as it takes it. */
  private async giveSlowly(reader: Reader, outgoing: FeedBatch): Promise<void> {
    while (!this.send(reader, outgoing) && (await reader.stream.drained()));
    outgoing.given();
  }

  private outgoingOf(read: FeedRead): FeedBatch {
    const outgoing = new FeedBatch(read);
    if (read.items.length > 0) this.resize(outgoing.frames);
    return outgoing;
  }

  private resize(frames: readonly Buffer[]): void {
    const average = frames.reduce((sum, { length }) => sum + length, 0) / frames.length;
    this.batch = Math.max(1, Math.min(BATCH, this.batch * 2, Math.round(AIMED_SIZE / average)));
  }

  /** Reads up to what is settled; that never moves back, so two readers cannot see different pasts. */
  private take<T>(read: (until: Date) => Promise<T>): Promise<T> {
    return this.options.turns.run(this.options.projectId, async () => {
      const settled = await this.options.source.settled(this.options.projectId);
      if (settled > this.until) this.until = settled;
      return read(this.until);
    });
  }

  /** Not in the first moments: what was stored just before the stream was opened has yet to settle. */
  private heartbeat({ stream }: Reader, detail?: string): void {
    if (stream.isFull || (detail === undefined && performance.now() - stream.openedAt < this.pollMs)) return;
    const timestamp = this.options.nowMs();
    stream.send(frameOf({ type: 'heartbeat', timestamp, ...(detail !== undefined && { detail }) }));
  }

  private failed(error: unknown): void {
    if (!this.failing) this.options.onFailure(error);
    this.failing = true;
  }

  private recovered(): void {
    this.failing = false;
  }

  private get pollMs(): number {
    return this.options.pollMs ?? POLL_MS;
  }
}
