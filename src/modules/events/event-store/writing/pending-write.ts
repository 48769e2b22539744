import type { NormalizedEvent } from '../../fields/index.js';
import {
  type Duplicates,
  type Idempotency,
  NO_DUPLICATES,
  type StoredAnswer,
  type Verdict,
  type WriteRequest,
} from './write-request.js';

/** Roughly what an event takes beside its properties, in characters. */
const PER_EVENT = 500;

/** A request on its way to the database. */
export class PendingWrite {
  /** Those still to be written: an interrupted try may leave a rest. */
  events: readonly NormalizedEvent[];
  /** How many were found written, and when those were accepted. */
  written = 0;
  writtenAt: Date | undefined;
  /** Events of the last attempt that were not stored, because their keys belong to stored events. */
  duplicates: Duplicates = NO_DUPLICATES;
  /** Names of the unique keys, for the writer: a batch has each key once. */
  readonly uniqueNames: readonly string[];
  /** Whether a try may have written it without telling, so that it has to be looked for. */
  inDoubt: boolean;
  /** Whether that was ever so: then nobody may be told that it is not written. */
  wasInDoubt: boolean;
  /** Failed tries so far. */
  tries = 0;
  /** The idempotency record as JSON; empty without a key. */
  readonly record: string;
  /** What it takes of the queue's memory, in characters. */
  readonly size: number;
  /** The UTC day it was accepted, YYYY-MM-DD; null: whenever it is written. */
  readonly day: string | null;
  readonly verdict: Promise<Verdict>;
  isSettled = false;
  private resolve!: (verdict: Verdict) => void;
  private reject!: (error: unknown) => void;

  /**
   * @param id names the request in its idempotency record; empty without a key
   * @param deadline of `performance.now()`, after which it is not tried any more
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
