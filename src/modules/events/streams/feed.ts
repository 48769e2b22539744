import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectId } from '../../access/index.js';
import type { FairSemaphore } from '../../../platform/concurrency/index.js';
import { type EventStream, frameOf } from '../../../platform/http/event-stream.js';
import { FeedBatch } from './feed-batch.js';
import { type FeedCursor, type FeedRead, type FeedSource, isAfter } from './feed-source.js';

const POLL_MS = 1_000;
/** Maximum number of rows in one read. */
const BATCH = 100;
/** Number of rows in the first read, when their size is unknown. It may double with each read. */
const FIRST_BATCH = 10;
/** Target size of a read in characters, so that only a few large rows are read at a time. */
const AIMED_SIZE = 500_000;
/** The message that a client gets after a failure. The cause is only logged. */
const CANNOT_READ = 'The stream cannot be read at the moment; it goes on by itself';

/** The members of a stream that a feed uses. */
export type FeedClient = Pick<EventStream, 'openedAt' | 'isOpen' | 'isFull' | 'send' | 'drained' | 'whenClosed'>;

interface Reader {
  readonly stream: FeedClient;
  /** The position of the last row sent, or null before the first. */
  cursor: FeedCursor | null;
}

export interface FeedOptions {
  readonly projectId: ProjectId;
  readonly source: FeedSource;
  /** Slots for the reads of all feeds. */
  readonly slots: FairSemaphore;
  readonly nowMs: () => number;
  /** Called once for each series of failures. */
  readonly onFailure: (error: unknown) => void;
  readonly pollMs?: number;
}

/**
 * One source of one project with all of its readers. A reader starts with its own reads. Once it has caught up it
 * shares the poll of the feed, which reads each row once and makes one frame of it for all readers. A reader that is
 * too slow leaves the poll and continues with its own reads, so that only the contents of its socket wait for it.
 */
export class Feed {
  private readonly abreast = new Set<Reader>();
  private readonly all = new Set<Reader>();
  /** The position of the last row that the shared poll has read. */
  private cursor: FeedCursor | null = null;
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
    const reader: Reader = { stream, cursor: null };
    this.all.add(reader);
    stream.whenClosed(() => {
      this.all.delete(reader);
      this.abreast.delete(reader);
    });
    void this.catchUp(reader, true);
  }

  /** Reads for one reader until it has caught up. Never rejects. */
  private async catchUp(reader: Reader, isNew = false): Promise<void> {
    const { source, projectId } = this.options;
    let begins = isNew;
    while (await reader.stream.drained()) {
      try {
        if (begins) reader.cursor = await this.take((until) => source.start(projectId, until));
        begins = false;
        const { batch } = this;
        const read = await this.take((until) => source.read(projectId, reader.cursor, until, batch));
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

  /**
   * Returns whether a reader has caught up with the shared poll. The caller must call `share` synchronously afterwards,
   * so that no poll runs in between.
   */
  private isAbreast(reader: Reader): boolean {
    if (this.abreast.size === 0) this.cursor = reader.cursor;
    return this.cursor === null || (reader.cursor !== null && !isAfter(this.cursor, reader.cursor));
  }

  private share(reader: Reader): void {
    if (!reader.stream.isOpen) return;
    this.abreast.add(reader);
    if (!this.polling) void this.poll();
  }

  /** Reads about once a second while the poll has readers. Never rejects. */
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
        const { batch, cursor } = this;
        const read = await this.take((until) => source.read(projectId, cursor, until, batch));
        this.recovered();
        if (read === null) break;
        const outgoing = this.outgoingOf(read);
        more = read.hasMore;
        // The position differs when all readers left during the read and a new reader started elsewhere.
        if (this.cursor === cursor) {
          this.cursor = read.items.at(-1)?.cursor ?? cursor;
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

  /**
   * Sends to all readers that share the poll. A reader whose socket is full leaves the poll.
   * @returns the readers to which rows were sent
   */
  private giveAll(outgoing: FeedBatch): Reader[] {
    const served: Reader[] = [];
    for (const reader of this.abreast) {
      const before = reader.cursor;
      const kept = this.send(reader, outgoing);
      if (reader.cursor !== before) served.push(reader);
      if (kept) continue;
      this.abreast.delete(reader);
      void this.catchUp(reader);
    }
    return served;
  }

  /** Sends rows that the reader has not received. @returns false when its socket is full before the end */
  private send(reader: Reader, outgoing: FeedBatch): boolean {
    for (const [index, { cursor }] of outgoing.items.entries()) {
      const frame = outgoing.frames[index];
      if (frame === undefined || !isAfter(cursor, reader.cursor)) continue;
      if (reader.stream.isFull) return false;
      reader.stream.send(frame, outgoing.taken());
      reader.cursor = cursor;
    }
    return true;
  }

  /** Sends rows that the reader has not received, as fast as its socket accepts them. */
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

  /** Reads up to the settled instant. This instant never moves back, so two readers cannot see different pasts. */
  private take<T>(read: (until: Date) => Promise<T>): Promise<T> {
    return this.options.slots.run(this.options.projectId, async () => {
      const settled = await this.options.source.settled(this.options.projectId);
      if (settled > this.until) this.until = settled;
      return read(this.until);
    });
  }

  /**
   * Sends a heartbeat, but not directly after the stream was opened, because rows stored just before are not settled
   * yet.
   */
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
