import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { newOrganizationId, newProjectId } from '../../../access/index.js';
import { NotConnected, OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import type { NormalizedEvent } from '../../fields/index.js';
import { normalizeEvent } from '../normalized-event.js';
import {
  type BatchResult,
  type BatchStore,
  IdempotencyKeyInProgress,
  type PendingWrite,
  type RequestVerdict,
  type Verdict,
  type WriteRequest,
} from '../../event-store/index.js';
import { EventBatcher, type EventBatcherOptions } from './event-batcher.js';

const AT = new Date('2026-03-01T10:00:00.000Z');
const SENDER = { organizationId: newOrganizationId(), projectId: newProjectId(), sourceId: null, apiKeyId: newId() };

class DatabaseRefusal extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

/** The fault of a batch. `lost` means that the connection ended before or after the commit. */
type Fault = 'away' | 'lost before' | 'lost after' | 'deadlock';

/** Stores events and keys in memory, a batch as a whole or not at all, and fails as `faults` says. */
class FakeStore implements BatchStore {
  readonly ids: string[] = [];
  private readonly known = new Set<string>();
  readonly keys = new Map<string, { request: string; admitted: number }>();
  readonly batches: number[] = [];
  faults: Fault[] = [];
  left = Infinity;
  /** Writes wait until this promise resolves. */
  gate: Promise<void> = Promise.resolve();

  constructor(private readonly poison = new Set<string>()) {}

  async write(batch: readonly PendingWrite[]): Promise<BatchResult> {
    await this.gate;
    const fault = this.faults.shift();
    if (fault === 'away') throw new NotConnected();
    if (fault === 'deadlock') throw new DatabaseRefusal('40P01');
    if (fault === 'lost before') throw new OutcomeUnknown();
    const events = batch.filter((write) => !this.isKnown(write)).flatMap((write) => write.events);
    // As in the database, a request whose key has a record is not written again. Any other event that exists is a
    // duplicate.
    if (events.some(({ id }) => this.known.has(id))) throw new DatabaseRefusal('23505');
    if (events.some(({ id }) => this.poison.has(id))) throw new DatabaseRefusal('22P05');
    this.batches.push(batch.length);
    const verdicts = batch.flatMap((write, index) => this.take(write, index + 1));
    if (fault === 'lost after') throw new OutcomeUnknown();
    return { acceptedAt: AT, verdicts: verdicts.length === 0 ? null : verdicts, duplicates: null };
  }

  find(batch: readonly PendingWrite[]): Promise<ReadonlyMap<string, Date>> {
    const ids = batch.flatMap((write) => write.events.map(({ id }) => id));
    return Promise.resolve(new Map(ids.filter((id) => this.known.has(id)).map((id) => [id, AT])));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private isKnown({ request: { idempotency } }: PendingWrite): boolean {
    return idempotency !== null && this.keys.has(idempotency.key);
  }

  private take({ request, id, events }: PendingWrite, number: number): RequestVerdict[] {
    const verdict = { request: number, status: 'active', limit: 0, used: 0, requestLimit: null, requestsUsed: 0 };
    const key = request.idempotency?.key;
    const known = key === undefined ? undefined : this.keys.get(key);
    if (known !== undefined) {
      return [{ ...verdict, admitted: 0, why: 'replay', answer: { ...known, answer: {} } }];
    }
    const admitted = Math.min(events.length, this.left);
    this.left -= admitted;
    for (const { id } of events.slice(0, admitted)) {
      this.ids.push(id);
      this.known.add(id);
    }
    if (key !== undefined && admitted > 0) this.keys.set(key, { request: id, admitted });
    return admitted === events.length ? [] : [{ ...verdict, admitted, why: 'limit_exceeded' }];
  }
}

function writerOn(store: BatchStore, options: Partial<EventBatcherOptions> = {}): EventBatcher {
  return new EventBatcher({
    stores: [store],
    batchMax: 500,
    batchWaitMs: 0,
    alone: false,
    onWritten: () => undefined,
    onFault: () => undefined,
    ...options,
  });
}

const EVENT = normalizeEvent({ event_type: 'a', source: 's' }, newId(), AT, (properties) => properties);

function event(): NormalizedEvent {
  return { ...EVENT, id: newId() };
}

function request(events = 1, key?: string): WriteRequest {
  const idempotency = key === undefined ? null : { key, hash: Buffer.alloc(32), answer: {} };
  return { sender: SENDER, events: Array.from({ length: events }, event), idempotency };
}

const idsOf = (requests: readonly WriteRequest[]): string[] =>
  requests.flatMap(({ events }) => events.map(({ id }) => id));
const written = (admitted: number): Verdict => ({
  kind: 'written',
  acceptedAt: AT,
  admitted,
  rest: null,
  duplicates: new Map(),
});

describe('EventBatcher', () => {
  it('writes what comes together in one batch, and what comes meanwhile in the next', async () => {
    const store = new FakeStore();
    const writer = writerOn(store);
    let open: () => void = () => undefined;
    store.gate = new Promise((resolve) => (open = resolve));
    const first = Array.from({ length: 5 }, () => writer.submit(request()));
    await nextTurn();
    const second = Array.from({ length: 7 }, () => writer.submit(request()));
    open();
    await Promise.all([...first, ...second]);
    expect(store.batches).toEqual([5, 7]);
    expect(writer.backlog).toBe(0);
  });

  it('takes another connection for what fills a batch, and for nothing less', async () => {
    const stores = [new FakeStore(), new FakeStore()] as const;
    // The writer uses the last store first.
    const [beside, first] = stores;
    const writer = writerOn(first, { stores, batchMax: 10 });
    let open: () => void = () => undefined;
    first.gate = new Promise((resolve) => (open = resolve));
    const held = writer.submit(request());
    await nextTurn();
    const small = [4, 4, 1].map((events) => writer.submit(request(events)));
    await nextTurn();
    await nextTurn();
    expect([first.batches, beside.batches]).toEqual([[], []]);
    // Together with this request they fill a batch. The remaining request waits again.
    small.push(writer.submit(request(9)));
    await Promise.all(small.slice(0, 3));
    expect([first.batches, beside.batches]).toEqual([[], [3]]);
    expect(writer.backlog).toBe(10);
    open();
    await Promise.all([held, ...small]);
    expect([first.batches, beside.batches]).toEqual([[1, 1], [3]]);
    await writer.close();
  });

  it('tells how long the oldest request has been waiting, in whatever order they are written', async () => {
    const stores = [new FakeStore(), new FakeStore()] as const;
    const [beside, first] = stores;
    const writer = writerOn(first, { stores, batchMax: 10 });
    expect(writer.oldestMs).toBe(0);
    let open: () => void = () => undefined;
    first.gate = new Promise((resolve) => (open = resolve));
    const held = writer.submit(request());
    await pause(20);
    await writer.submit(request(10));
    expect(beside.batches).toEqual([1]);
    expect(writer.oldestMs).toBeGreaterThanOrEqual(19);
    open();
    await held;
    expect(writer.oldestMs).toBe(0);
  });

  it('ends a batch at its limits of events and memory, and never divides a request', async () => {
    const store = new FakeStore();
    const writer = writerOn(store, { batchMax: 10 });
    await Promise.all([4, 4, 4, 25, 1].map((events) => writer.submit(request(events))));
    expect(store.batches).toEqual([2, 1, 1, 1]);
    const large = Array.from({ length: 5 }, () => ({
      ...request(),
      events: [{ ...event(), properties: JSON.stringify({ text: 'x'.repeat(3_000_000) }) }],
    }));
    await Promise.all(large.map((one) => writer.submit(one)));
    expect(store.batches.slice(4)).toEqual([2, 2, 1]);
  });

  it('writes each request alone when told to', async () => {
    const store = new FakeStore();
    const writer = writerOn(store, { alone: true });
    await Promise.all(Array.from({ length: 3 }, () => writer.submit(request())));
    expect(store.batches).toEqual([1, 1, 1]);
  });

  it('keeps what was accepted on different days apart', async () => {
    const store = new FakeStore();
    const writer = writerOn(store);
    const days = ['2026-03-01T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];
    await Promise.all(days.map((at) => writer.submit({ ...request(), acceptedAt: new Date(at) })));
    expect(store.batches).toEqual([2, 1]);
  });

  it('refuses what it cannot hold', async () => {
    const store = new FakeStore();
    const writer = writerOn(store);
    let open: () => void = () => undefined;
    store.gate = new Promise((resolve) => (open = resolve));
    const held = Array.from({ length: 20 }, () => writer.submit(request(1_000)));
    await expect(writer.submit(request())).rejects.toBeInstanceOf(ServiceOverloaded);
    open();
    await Promise.all(held);
    expect(await writer.submit(request())).toEqual(written(1));
  });

  it('refuses a key that is under way, and takes it again afterwards', async () => {
    const writer = writerOn(new FakeStore());
    const first = writer.submit(request(1, 'k'));
    await expect(writer.submit(request(1, 'k'))).rejects.toBeInstanceOf(IdempotencyKeyInProgress);
    expect(await first).toEqual(written(1));
    expect(await writer.submit(request(1, 'k'))).toMatchObject({ kind: 'replayed' });
  });

  it('lets requests fail alone that the database refuses', async () => {
    const requests = Array.from({ length: 20 }, () => request());
    const poison = new Set(idsOf([requests[3], requests[11]] as WriteRequest[]));
    const store = new FakeStore(poison);
    const onFault = jest.fn();
    const writer = writerOn(store, { onFault });
    const outcomes = await Promise.allSettled(requests.map((one) => writer.submit(one)));
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([3, 11]);
    expect(store.ids.sort()).toEqual(
      idsOf(requests)
        .filter((id) => !poison.has(id))
        .sort(),
    );
    expect(onFault).toHaveBeenCalledTimes(2);
  });

  it('gives up on a request that the database answers with a fault of ours', async () => {
    class BrokenStore extends FakeStore {
      override write(): Promise<BatchResult> {
        return Promise.reject(new DatabaseRefusal('42P01'));
      }
    }
    const writer = writerOn(new BrokenStore());
    const outcomes = await Promise.allSettled(Array.from({ length: 3 }, () => writer.submit(request())));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('writes everything once, whatever befalls its connection', async () => {
    const fault = fc.constantFrom<Fault>('away', 'lost before', 'lost after', 'deadlock');
    const one = fc.record({ events: fc.integer({ min: 1, max: 4 }), key: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { minLength: 1, maxLength: 8 }),
        fc.array(fault, { maxLength: 6 }),
        async (wanted, faults) => {
          const store = new FakeStore();
          store.faults = [...faults];
          const writer = writerOn(store, { batchMax: 6 });
          const requests = wanted.map(({ events, key }, index) => request(events, key ? `k${index}` : undefined));
          const verdicts = await Promise.all(requests.map((each) => writer.submit(each)));
          expect(verdicts).toEqual(wanted.map(({ events }) => written(events)));
          expect(store.ids.sort()).toEqual(idsOf(requests).sort());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('tells exactly what was admitted, also when an allowance ends and the connection is lost meanwhile', async () => {
    const fault = fc.constantFrom<Fault>('lost before', 'lost after');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
        fc.nat(12),
        fc.array(fault, { maxLength: 3 }),
        async (counts, left, faults) => {
          const store = new FakeStore();
          store.faults = [...faults];
          store.left = left;
          const writer = writerOn(store);
          const verdicts = await Promise.all(counts.map((count) => writer.submit(request(count))));
          const admitted = verdicts.map((verdict) => (verdict.kind === 'written' ? verdict.admitted : 0));
          expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(
            Math.min(
              left,
              counts.reduce((a, b) => a + b, 0),
            ),
          );
          expect(store.ids).toHaveLength(
            Math.min(
              left,
              counts.reduce((a, b) => a + b, 0),
            ),
          );
          for (const [index, verdict] of verdicts.entries()) {
            const all = admitted[index] === counts[index];
            if (verdict.kind === 'written') expect(verdict.rest).toBe(all ? null : 'limit_exceeded');
            else expect(verdict).toMatchObject({ kind: 'refused', refusal: { reason: 'limit_exceeded' } });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
