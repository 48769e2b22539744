import { setTimeout as pause } from 'node:timers/promises';
import { NotConnected, OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { reasonOfStatus, type RefusalReason } from '../../../entitlement/quotas/index.js';
import type { BatchResult, BatchStore, PendingWrite, RequestVerdict, Verdict } from '../../event-store/index.js';
import { writeFaultOf } from './write-faults.js';

export interface BatchWriterOptions {
  readonly store: BatchStore;
  /** Told after the commit. */
  readonly onWritten: (events: number, seconds: number) => void;
  readonly onFault: (error: unknown, what: string) => void;
  /** Told whenever the database could not be reached. */
  readonly onAway: () => void;
}

/** How long we try to learn what became of a batch whose connection was lost. */
const DOUBT_LIMIT_MS = 20_000;
const RETRY_MS = 50;
const MOST_TRIES = 8;

/** Brings batches through one connection: every request of them gets its verdict or its fault, and none is written twice. */
export class BatchWriter {
  constructor(private readonly options: BatchWriterOptions) {}

  /** Never rejects. */
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

  /** @returns what is to be tried again, in groups */
  private async attempt(group: readonly PendingWrite[]): Promise<(readonly PendingWrite[])[]> {
    const { store, onWritten } = this.options;
    try {
      const rest = group.some((write) => write.inDoubt) ? await this.withoutWritten(group) : group;
      if (rest.length === 0) return [];
      const startedAt = performance.now();
      const result = await store.write(rest);
      settleAll(rest, result);
      onWritten(countEvents(rest), (performance.now() - startedAt) / 1000);
      return [rest];
    } catch (error) {
      return this.afterFault(group, error);
    }
  }

  /** Settles requests that an earlier try has written, and keeps of the others what is missing. */
  private async withoutWritten(group: readonly PendingWrite[]): Promise<readonly PendingWrite[]> {
    const found = await this.options.store.find(group);
    for (const write of group) {
      write.inDoubt = false;
      // The record of its key tells what became of it, also when it was refused.
      if (write.request.idempotency !== null) continue;
      const [at, ...more] = write.events.flatMap(({ id }) => found.get(id) ?? []);
      if (at === undefined) continue;
      write.writtenAt ??= at;
      write.written += more.length + 1;
      // Events are admitted in their order, so these are the first ones.
      write.events = write.events.slice(more.length + 1);
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

/** Fails what has waited too long: what was surely not written may come again, of the rest nobody knows. */
export function failOverdue(writes: readonly PendingWrite[]): void {
  for (const write of writes) {
    if (!write.isOverdue) continue;
    write.fail(
      write.wasInDoubt ? new OutcomeUnknown('nobody could tell what became of the request') : new ServiceOverloaded(),
    );
  }
}

function settleAll(batch: readonly PendingWrite[], { acceptedAt, verdicts }: BatchResult): void {
  const open = new Set(batch);
  for (const verdict of verdicts ?? []) {
    const write = batch[verdict.request - 1];
    if (write === undefined) continue;
    open.delete(write);
    settleByVerdict(write, verdict, acceptedAt);
  }
  for (const write of open) settleWritten(write, write.events.length, null, acceptedAt);
}

function settleByVerdict(write: PendingWrite, verdict: RequestVerdict, at: Date): void {
  const { why, admitted, answer } = verdict;
  switch (why) {
    case 'replay':
      if (answer === undefined) break;
      // A try of ours that nobody told about has made the record.
      if (answer.request === write.id) {
        write.settle({
          kind: 'written',
          acceptedAt: at,
          admitted: answer.admitted ?? write.request.events.length,
          rest: answer.why ?? null,
        });
      } else {
        write.settle({ kind: 'replayed', stored: answer });
      }
      return;
    case 'conflict':
      return write.settle({ kind: 'conflict' });
    case 'vanished':
      // The record ended between two looks: the next try makes it anew.
      return;
    case 'archived':
    case 'gone':
    case 'source_gone':
      if (write.written > 0) settleWritten(write, 0, 'blocked', at);
      else write.settle({ kind: 'closed', why });
      return;
    default:
      if (write.written + admitted > 0) settleWritten(write, admitted, reasonOf(verdict), at);
      else write.settle(refusalOf(verdict, at));
  }
}

function settleWritten(write: PendingWrite, more: number, rest: RefusalReason | null, at: Date): void {
  write.settle({ kind: 'written', acceptedAt: write.writtenAt ?? at, admitted: write.written + more, rest });
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

function countEvents(batch: readonly PendingWrite[]): number {
  return batch.reduce((sum, { events }) => sum + events.length, 0);
}
