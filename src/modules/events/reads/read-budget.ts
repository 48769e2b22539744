import { Injectable } from '@nestjs/common';
import { ByteBudget, type ByteBudgetOptions } from '../../../platform/byte-budget/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';

const MIB = 1024 * 1024;
/** What is read at a time; as text on its way into an answer it may take four times as much. */
const READING_BYTES = 32 * MIB;
/** What waits for clients that are slow to take it. */
const UNSENT_BYTES = 128 * MIB;
/** What one project may take of what is read: a page. It comes back as fast as the database gives it. */
const READING_SHARE = READING_BYTES / 8;
/** Pieces of exports that are read at a time, one of a project: an export goes on for long, and others read beside it. */
const PIECES_AT_ONCE = 2;
/**
 * Of what waits for clients: theirs is the time. A project has an eighth of what no other has, or one piece of up to half of
 * what is free, so that some with slow clients leave room for others; and what a page takes as long as there is any.
 */
const UNSENT_SHARE = 1 / 8;
const LARGEST_UNSENT_BYTES = UNSENT_BYTES / 4;
const LEAST_UNSENT_BYTES = 4 * MIB;
/**
 * Pieces of exports that are larger than they mostly are, each a single event. There are few exports, which wait for their
 * turn instead of being cut.
 */
const LARGE_EXPORTED_BYTES = 96 * MIB;
const LARGEST_EXPORTED_BYTES = 32 * MIB;
/** What takes less is not counted: the connections to the database bound how much of it there is at a time. */
const SMALL_BYTES = 64 * 1024;
const MOST_WAITING = 64;
const PATIENCE_MS = 5_000;

export class TooManyLargeReads extends domainError(503, 'Too many large reads at once') {
  override readonly headers = { 'Retry-After': '2' };
}

/** Bytes that are read, and bytes that wait to be sent; each is given back once. */
export interface Hold {
  read(): void;
  sent(): void;
}

const nothing = (): void => undefined;
const NOTHING: Hold = { read: nothing, sent: nothing };

/** The memory that reads of events may take in this process, so that no number of callers brings it down. */
@Injectable()
export class ReadBudget {
  private readonly reading = budgetOf(READING_BYTES, READING_SHARE, () => READING_SHARE);
  private readonly unsent = budgetOf(UNSENT_BYTES, LARGEST_UNSENT_BYTES, (held, free) =>
    Math.max(LEAST_UNSENT_BYTES, held === 0 ? free / 2 : (held + free) * UNSENT_SHARE),
  );
  private readonly exported = budgetOf(LARGE_EXPORTED_BYTES, LARGEST_EXPORTED_BYTES, () => LARGEST_EXPORTED_BYTES);

  private readonly pieces = new FairSemaphore({ parallel: PIECES_AT_ONCE, parallelOfShare: 1, mostWaiting: Infinity });

  /** Waits for a while. @throws TooManyLargeReads */
  async take(projectId: string, bytes: number): Promise<Hold> {
    if (bytes <= SMALL_BYTES) return NOTHING;
    const sent = await this.unsent.take(projectId, bytes);
    try {
      return { read: await this.reading.take(projectId, bytes), sent };
    } catch (error) {
      sent();
      throw error;
    }
  }

  /** Null when there is no room now. */
  tryTake(projectId: string, bytes: number): Hold | null {
    if (bytes <= SMALL_BYTES) return NOTHING;
    const sent = this.unsent.tryTake(projectId, bytes);
    if (sent === null) return null;
    const read = this.reading.tryTake(projectId, bytes);
    if (read !== null) return { read, sent };
    sent();
    return null;
  }

  /** Makes an answer of so many bytes, which are counted until it has left. @throws TooManyLargeReads */
  async answer<Shape>(
    projectId: string,
    bytes: number,
    make: () => Promise<WrittenJson<Shape>>,
  ): Promise<WrittenJson<Shape>> {
    const hold = await this.take(projectId, bytes);
    try {
      const answer = await make();
      if (hold !== NOTHING) answer.hold = hold;
      return answer;
    } catch (error) {
      hold.read();
      hold.sent();
      throw error;
    }
  }

  /** Does work with so many bytes that are gone when it is done. @throws TooManyLargeReads */
  async during<T>(projectId: string, bytes: number, work: () => Promise<T>): Promise<T> {
    if (bytes <= SMALL_BYTES) return work();
    const read = await this.reading.take(projectId, bytes);
    try {
      return await work();
    } finally {
      read();
    }
  }

  /**
   * Makes a piece of an export, of which the caller bounds how many there are at a time: it waits for as long as it takes.
   * @param usual bytes of a piece that need not be counted until it has left
   * @returns with what is to be told when the client has taken the piece
   */
  async exportPiece<T>(
    projectId: string,
    { bytes, usual }: { readonly bytes: number; readonly usual: number },
    work: () => Promise<T>,
  ): Promise<{ piece: T; sent: () => void }> {
    const sent = bytes <= usual ? nothing : await this.exported.takePatiently(projectId, bytes);
    try {
      if (bytes <= SMALL_BYTES) return { piece: await work(), sent };
      return { piece: await this.pieces.run(projectId, () => this.readPatiently(projectId, bytes, work)), sent };
    } catch (error) {
      sent();
      throw error;
    }
  }

  private async readPatiently<T>(projectId: string, bytes: number, work: () => Promise<T>): Promise<T> {
    const read = await this.reading.takePatiently(projectId, bytes);
    try {
      return await work();
    } finally {
      read();
    }
  }
}

function budgetOf(capacity: number, largest: number, share: ByteBudgetOptions['share']): ByteBudget {
  return new ByteBudget({
    capacity,
    largest,
    share,
    mostWaiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
    refusal: () => new TooManyLargeReads(),
  });
}
