import { Injectable } from '@nestjs/common';
import { ByteBudget, type ByteBudgetOptions } from '../../../platform/byte-budget/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';

const MIB = 1024 * 1024;
/**
 * Maximum number of bytes that are read at a time. As the text of an answer they may take four times as much memory.
 */
const READING_BYTES = 32 * MIB;
/** Maximum number of bytes that wait for slow clients to receive them. */
const UNSENT_BYTES = 128 * MIB;
/** The bytes that one project may read at a time: one page. They are released as fast as the database returns rows. */
const READING_SHARE = READING_BYTES / 8;
/**
 * Maximum number of export pieces that are read at a time, at most one of each project. Exports take long, and other
 * reads need memory meanwhile.
 */
const PIECES_AT_ONCE = 2;
/**
 * The share of one project in the unsent bytes, which slow clients may hold for long. A project that holds none may
 * take up to half of the free bytes. A project that holds some may hold up to an eighth of the bytes that other
 * projects do not hold. Both limits are at least one page. So slow clients of one project leave room for other
 * projects.
 */
const UNSENT_SHARE = 1 / 8;
const LARGEST_UNSENT_BYTES = UNSENT_BYTES / 4;
const LEAST_UNSENT_BYTES = 4 * MIB;
/**
 * Budget for pieces of exports that are larger than usual, each a single event. Exports are few, and wait for memory
 * instead of being cut.
 */
const LARGE_EXPORTED_BYTES = 96 * MIB;
const LARGEST_EXPORTED_BYTES = 32 * MIB;
/** Smaller reads are not counted. The number of database connections limits how many of them run at a time. */
const SMALL_BYTES = 64 * 1024;
const MAX_QUEUED = 64;
const WAIT_TIMEOUT_MS = 5_000;

export class TooManyLargeReads extends domainError(503, 'Too many large reads at once') {
  override readonly headers = { 'Retry-After': '2' };
}

/** A reservation of bytes to read and of bytes to send. Each part is released once. */
export interface Hold {
  read(): void;
  sent(): void;
}

const nothing = (): void => undefined;
const NOTHING: Hold = { read: nothing, sent: nothing };

/** Limits the memory of event reads in this process, so that no number of callers can exhaust it. */
@Injectable()
export class ReadBudget {
  private readonly reading = budgetOf(READING_BYTES, READING_SHARE, () => READING_SHARE);
  private readonly unsent = budgetOf(UNSENT_BYTES, LARGEST_UNSENT_BYTES, (held, free) =>
    Math.max(LEAST_UNSENT_BYTES, held === 0 ? free / 2 : (held + free) * UNSENT_SHARE),
  );
  private readonly exported = budgetOf(LARGE_EXPORTED_BYTES, LARGEST_EXPORTED_BYTES, () => LARGEST_EXPORTED_BYTES);

  private readonly pieces = new FairSemaphore({ parallel: PIECES_AT_ONCE, maxPerKey: 1, maxQueued: Infinity });

  /** Reserves bytes, and waits up to `WAIT_TIMEOUT_MS` for them. @throws TooManyLargeReads */
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

  /** Reserves bytes, or returns null when they are not free now. */
  tryTake(projectId: string, bytes: number): Hold | null {
    if (bytes <= SMALL_BYTES) return NOTHING;
    const sent = this.unsent.tryTake(projectId, bytes);
    if (sent === null) return null;
    const read = this.reading.tryTake(projectId, bytes);
    if (read !== null) return { read, sent };
    sent();
    return null;
  }

  /** Builds an answer of the given size, which is counted until the answer has been sent. @throws TooManyLargeReads */
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

  /** Runs work with a reservation of bytes that is released when the work ends. @throws TooManyLargeReads */
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
   * Builds a piece of an export, and waits for memory without a limit. The caller limits the number of exports.
   * @param usual a piece of up to this size is not counted until it has been sent
   * @returns the piece, and the function to call when the client has received it
   */
  async exportPiece<T>(
    projectId: string,
    { bytes, usual }: { readonly bytes: number; readonly usual: number },
    work: () => Promise<T>,
  ): Promise<{ piece: T; sent: () => void }> {
    const sent = bytes <= usual ? nothing : await this.exported.takeWithoutTimeout(projectId, bytes);
    try {
      if (bytes <= SMALL_BYTES) return { piece: await work(), sent };
      return { piece: await this.pieces.run(projectId, () => this.readWithoutTimeout(projectId, bytes, work)), sent };
    } catch (error) {
      sent();
      throw error;
    }
  }

  private async readWithoutTimeout<T>(projectId: string, bytes: number, work: () => Promise<T>): Promise<T> {
    const read = await this.reading.takeWithoutTimeout(projectId, bytes);
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
    maxQueued: MAX_QUEUED,
    timeoutMs: WAIT_TIMEOUT_MS,
    refusal: () => new TooManyLargeReads(),
  });
}
