import { Injectable } from '@nestjs/common';
import { ByteBudget } from '../../../platform/byte-budget/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';

const MIB = 1024 * 1024;
/** What is read at a time; as text on its way into an answer it may take four times as much. */
const READING_BYTES = 32 * MIB;
/** What waits for clients that are slow to take it. */
const UNSENT_BYTES = 128 * MIB;
/** What one project may take of either. */
const SHARE = 1 / 4;
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

const NOTHING: Hold = { read: () => undefined, sent: () => undefined };

/** The memory that reads of events may take in this process, so that no number of callers brings it down. */
@Injectable()
export class ReadBudget {
  private readonly reading = budgetOf(READING_BYTES);
  private readonly unsent = budgetOf(UNSENT_BYTES);

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
    const hold = await this.take(projectId, bytes);
    try {
      return await work();
    } finally {
      hold.read();
      hold.sent();
    }
  }
}

function budgetOf(capacity: number): ByteBudget {
  return new ByteBudget({
    capacity,
    share: capacity * SHARE,
    mostWaiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
    refusal: () => new TooManyLargeReads(),
  });
}
