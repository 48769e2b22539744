import { setTimeout as pause } from 'node:timers/promises';
import { NotConnected, OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { reasonOfStatus, type RefusalReason } from '../../../entitlement/quotas/index.js';
import {
  type BatchResult,
  type BatchStore,
  type Duplicates,
  NO_DUPLICATES,
  type PendingWrite,
  type RequestVerdict,
  type StoredAnswer,
  type Verdict,
} from '../../event-store/index.js';
import { writeFaultOf } from './write-faults.js';

export interface BatchCommitterOptions {
  readonly store: BatchStore;
  /** Called after each commit. */
  readonly onWritten: (batch: readonly PendingWrite[], seconds: number) => void;
  readonly onFault: (error: unknown, what: string) => void;
  /** Called each time the database cannot be reached. */
  readonly onAway: () => void;
}

/** Time limit for finding out whether a batch was committed after its connection was lost. */
const DOUBT_LIMIT_MS = 20_000;
const RETRY_MS = 50;
const MOST_TRIES = 8;

/** Writes batches over one connection. Every request gets its verdict or its error, and none is written twice. */
export class BatchCommitter {
  constructor(private readonly options: BatchCommitterOptions) {}

  /** Writes a batch and settles each of its requests. Never rejects. */
  async write(batch: readonly PendingWrite[]): Promise<void> {
    const groups: (readonly PendingWrite[])[] = [batch];
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      const open = group.filter((write) => !write.isSettled);
      if (open.length > 0) groups.push(...(await this.attempt(open)));
    }
  }

  close(): Promise<void> {
    return this.options.store.close();
  }

  /** Tries to write a group once. @returns groups whose unsettled requests must be tried again */
  private async attempt(group: readonly PendingWrite[]): Promise<(readonly PendingWrite[])[]> {
    const { store, onWritten } = this.options;
    try {
      const rest = group.some((write) => write.inDoubt) ? await this.withoutWritten(group) : group;
      if (rest.length === 0) return [];
      const startedAt = performance.now();
      const result = await store.write(rest);
      settleAll(rest, result);
      onWritten(rest, (performance.now() - startedAt) / 1000);
      return [rest];
    } catch (error) {
      return this.afterFault(group, error);
    }
  }

  /** Settles requests that an earlier attempt has written, and returns the others with only their missing events. */
  private async withoutWritten(group: readonly PendingWrite[]): Promise<readonly PendingWrite[]> {
    const found = await this.options.store.find(group);
    for (const write of group) {
      write.inDoubt = false;
      // The idempotency record of the request will show its outcome, even a refusal.
      if (write.request.idempotency !== null) continue;
      const [at, ...more] = write.events.flatMap(({ id }) => found.get(id) ?? []);
      if (at === undefined) continue;
      write.writtenAt ??= at;
      write.written += more.length + 1;
      // Events are admitted in order. So the events found are the first ones of the request, except for duplicates,
      // which are not stored.
      write.events = write.events.filter(({ id }) => !found.has(id));
      if (write.events.length === 0) settleWritten(write, 0, null, at);
    }
    return group.filter((write) => !write.isSettled);
  }

  private async afterFault(group: readonly PendingWrite[], error: unknown): Promise<(readonly PendingWrite[])[]> {
    if (error instanceof NotConnected) {
      failOverdue(group);
      this.options.onAway();
      return [group];
    }
    for (const write of group) write.tries += 1;
    const kind = group.some((write) => write.tries >= MOST_TRIES) ? 'hopeless' : writeFaultOf(error);
    if (kind === 'doubt') {
      for (const write of group) {
        if (!write.wasInDoubt) write.deadline = performance.now() + DOUBT_LIMIT_MS;
        write.inDoubt = write.wasInDoubt = true;
      }
      failOverdue(group);
      return [group];
    }
    if (kind === 'passing') {
      failOverdue(group);
      await pause(RETRY_MS);
      return [group];
    }
    if (kind === 'data' && group.length > 1) {
      const half = group.length >> 1;
      for (const write of group) write.tries = 0;
      return [group.slice(half), group.slice(0, half)];
    }
    this.options.onFault(error, `${group.length} requests were not written`);
    for (const write of group) write.fail(kind === 'exhausted' && !write.wasInDoubt ? new ServiceOverloaded() : error);
    return [];
  }
}

/**
 * Fails requests that have waited too long. A request that was certainly not written may be repeated
 * (`ServiceOverloaded`); the outcome of any other is unknown.
 */
export function failOverdue(writes: readonly PendingWrite[]): void {
  for (const write of writes) {
    if (!write.isOverdue) continue;
    write.fail(
      write.wasInDoubt ? new OutcomeUnknown('nobody could tell what became of the request') : new ServiceOverloaded(),
    );
  }
}

function settleAll(batch: readonly PendingWrite[], { acceptedAt, verdicts, duplicates }: BatchResult): void {
  if (duplicates !== null) {
    const all = Object.entries(duplicates);
    for (const write of batch) {
      const own = all.filter(([id]) => write.request.uniqueKeys?.has(id) === true);
      if (own.length > 0) write.duplicates = new Map(own);
    }
  }
  const open = new Set(batch);
  for (const verdict of verdicts ?? []) {
    const write = batch[verdict.request - 1];
    if (write === undefined) continue;
    open.delete(write);
    settleByVerdict(write, verdict, acceptedAt);
  }
  for (const write of open) settleWritten(write, write.events.length - write.duplicates.size, null, acceptedAt);
}

function settleByVerdict(write: PendingWrite, verdict: RequestVerdict, at: Date): void {
  const { why, admitted, answer } = verdict;
  switch (why) {
    case 'replay':
      if (answer === undefined) break;
      // An earlier attempt of this writer has made the record, but its answer was lost.
      if (answer.request === write.id) {
        const duplicates = duplicatesOf(answer);
        write.settle({
          kind: 'written',
          acceptedAt: at,
          admitted: answer.admitted ?? write.request.events.filter(({ id }) => !duplicates.has(id)).length,
          rest: answer.why ?? null,
          duplicates,
        });
      } else {
        write.settle({ kind: 'replayed', stored: answer });
      }
      return;
    case 'conflict':
      return write.settle({ kind: 'conflict' });
    case 'vanished':
      // The record expired between two reads. The next attempt creates it again.
      return;
    case 'archived':
    case 'gone':
    case 'source_gone':
      if (write.written > 0) settleWritten(write, 0, 'blocked', at);
      else write.settle({ kind: 'closed', why });
      return;
    default:
      // A duplicate is answered as stored, whatever refuses the other events.
      if (write.written + admitted + write.duplicates.size > 0) settleWritten(write, admitted, reasonOf(verdict), at);
      else write.settle(refusalOf(verdict, at));
  }
}

function settleWritten(write: PendingWrite, more: number, rest: RefusalReason | null, at: Date): void {
  const { written, duplicates } = write;
  write.settle({ kind: 'written', acceptedAt: write.writtenAt ?? at, admitted: written + more, rest, duplicates });
}

function duplicatesOf({ duplicates }: StoredAnswer): Duplicates {
  return duplicates === undefined ? NO_DUPLICATES : new Map(Object.entries(duplicates));
}

function refusalOf(verdict: RequestVerdict, at: Date): Verdict {
  return {
    kind: 'refused',
    refusal: {
      reason: reasonOf(verdict),
      at,
      billingStatus: verdict.status,
      events: { used: verdict.used, limit: verdict.limit },
      requests: { used: verdict.requestsUsed, limit: verdict.requestLimit },
    },
  };
}

function reasonOf({ why, status }: RequestVerdict): RefusalReason {
  return why === 'limit_exceeded' || why === 'request_limit_exceeded' || why === 'daily_limit_exceeded'
    ? why
    : reasonOfStatus(status);
}

export function countEvents(batch: readonly PendingWrite[]): number {
  return batch.reduce((sum, { events }) => sum + events.length, 0);
}
