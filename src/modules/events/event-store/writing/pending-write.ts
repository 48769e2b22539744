import type { NormalizedEvent } from '../../fields/index.js';
import {
  type Duplicates,
  type Idempotency,
  NO_DUPLICATES,
  type StoredAnswer,
  type Verdict,
  type WriteRequest,
} from './write-request.js';

/** The approximate size of an event without its properties, in characters. */
const PER_EVENT = 500;

/** A request that waits to be written. */
export class PendingWrite {
  /** The events that are not written yet. An interrupted attempt may have written some. */
  events: readonly NormalizedEvent[];
  /** The number of events that an earlier attempt has written, and the time at which they were accepted. */
  written = 0;
  writtenAt: Date | undefined;
  /** Events of the last attempt that were not stored, because their keys belong to stored events. */
  duplicates: Duplicates = NO_DUPLICATES;
  /** Identifies the unique keys, because a batch may have each key only once. */
  readonly uniqueNames: readonly string[];
  /** True when an attempt may have written the request without an answer. Then its events have to be searched. */
  inDoubt: boolean;
  /** True when the request was ever in doubt. Then no answer may say that it was not written. */
  wasInDoubt: boolean;
  /** The number of failed attempts. */
  tries = 0;
  /** The idempotency record as JSON. Empty without a key. */
  readonly record: string;
  /** The memory that the request uses in the queue, in characters. */
  readonly size: number;
  /**
   * The UTC day on which the request was accepted, as YYYY-MM-DD. Null when it is accepted at the time of the write.
   */
  readonly day: string | null;
  readonly verdict: Promise<Verdict>;
  isSettled = false;
  private resolve!: (verdict: Verdict) => void;
  private reject!: (error: unknown) => void;

  /**
   * @param id identifies the request in its idempotency record; empty without a key
   * @param deadline a value of `performance.now()` after which the request is not tried again
   */
  constructor(
    readonly request: WriteRequest,
    readonly id: string,
    public deadline: number,
  ) {
    this.events = request.events;
    const { idempotency, acceptedAt } = request;
    this.record = idempotency === null ? '' : JSON.stringify(recordOf(id, idempotency));
    this.size = this.events.reduce((size, { properties }) => size + properties.length + PER_EVENT, this.record.length);
    const { projectId } = request.sender;
    this.uniqueNames = [...(request.uniqueKeys?.values() ?? [])].map((key) => projectId + key.toString('base64'));
    this.day = acceptedAt?.toISOString().slice(0, 10) ?? null;
    this.inDoubt = this.wasInDoubt = request.mayBeWritten === true;
    this.verdict = new Promise<Verdict>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get isOverdue(): boolean {
    return performance.now() > this.deadline;
  }

  settle(verdict: Verdict): void {
    this.isSettled = true;
    this.resolve(verdict);
  }

  fail(error: unknown): void {
    this.isSettled = true;
    this.reject(error);
  }
}

function recordOf(request: string, { answer, duplicates, cut }: Idempotency): StoredAnswer {
  return { request, answer, ...(duplicates && { duplicates }), ...cut };
}
