import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asProjectId } from '../../access/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { Feed, type FeedClient } from './feed.js';
import { type FeedItem, type FeedCursor, type FeedRead, type FeedSource, isAfter } from './feed-source.js';

interface Message {
  type: string;
  n?: number;
  detail?: string;
}

/** A client whose socket buffer is full when the test says so. */
class TestClient implements FeedClient {
  readonly openedAt = -1_000_000;
  readonly messages: Message[] = [];
  isOpen = true;
  isFull = false;
  private readonly closings: (() => void)[] = [];
  private readonly waiting: (() => void)[] = [];

  send(frame: Buffer): void {
    const [, text = ''] = /^data: (.*)\n\n$/s.exec(frame.toString()) ?? [];
    this.messages.push(JSON.parse(text) as Message);
  }

  async drained(): Promise<boolean> {
    while (this.isFull && this.isOpen) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.isOpen;
  }

  whenClosed(tell: () => void): void {
    this.closings.push(tell);
  }

  fill(isFull: boolean): void {
    this.isFull = isFull;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  close(): void {
    this.isOpen = false;
    for (const tell of this.closings) tell();
    this.fill(false);
  }

  get numbers(): number[] {
    return this.messages.flatMap(({ n }) => (n === undefined ? [] : [n]));
  }
}

/** A source of rows 0, 1, 2, …, several of which share an instant. */
class TestSource implements FeedSource {
  readonly name = 'test';
  readonly rows: FeedItem[] = [];
  reads = 0;
  failures = 0;
  begin = 0;

  settled(): Promise<Date> {
    return Promise.resolve(new Date(8e15));
  }

  start(): Promise<FeedCursor | null> {
    return Promise.resolve(this.rows[this.begin - 1]?.cursor ?? null);
  }

  async read(_project: string, after: FeedCursor | null, _until: Date, limit: number): Promise<FeedRead> {
    this.reads += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('no database');
    }
    const rows = this.rows.filter(({ cursor }) => isAfter(cursor, after)).slice(0, limit);
    await turn();
    return { items: rows, hasMore: rows.length === limit };
  }

  add(count: number): void {
    for (let n = this.rows.length, end = n + count; n < end; n += 1) {
      const cursor = { timestamp: new Date(1_000 + Math.floor(n / 3)), id: String(n).padStart(6, '0') };
      this.rows.push({ cursor, message: { type: 'row', n } });
    }
  }
}

const POLL_MS = 4;

function feedOf(source: FeedSource, failures: unknown[] = []): Feed {
  return new Feed({
    projectId: asProjectId('p'),
    source,
    slots: new FairSemaphore({ parallel: 2, maxQueued: Infinity }),
    nowMs: () => 42,
    onFailure: (error) => failures.push(error),
    pollMs: POLL_MS,
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(1);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('a feed', () => {
  it('gives every reader every row once and in order, whoever comes, stands still and fails when', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 250 }) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('join' as const) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('fill' as const), reader: fc.nat(5) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('drain' as const), reader: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), count: fc.integer({ min: 1, max: 3 }) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 12 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const source = new TestSource();
        const feed = feedOf(source);
        const clients: TestClient[] = [];
        const join = (): void => {
          const client = new TestClient();
          clients.push(client);
          feed.join(client);
        };
        join();
        for (const one of steps) {
          if (one.do === 'add') source.add(one.count);
          else if (one.do === 'join') join();
          else if (one.do === 'fill') clients[one.reader]?.fill(true);
          else if (one.do === 'drain') clients[one.reader]?.fill(false);
          else if (one.do === 'fail') source.failures = one.count;
          else await pause(one.ms);
        }
        for (const client of clients) client.fill(false);
        await until(() => clients.every(({ numbers }) => numbers.length >= source.rows.length));
        for (const { numbers } of clients) expect(numbers).toEqual(upTo(source.rows.length));
        for (const client of clients) client.close();
        expect(feed.readers).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('polls once for all, and not at all for nobody', async () => {
    const source = new TestSource();
    source.add(10);
    const feed = feedOf(source);
    const clients = Array.from({ length: 50 }, () => new TestClient());
    for (const client of clients) feed.join(client);
    const beats = (client: TestClient): number => client.messages.filter(({ type }) => type === 'heartbeat').length;
    await until(() => clients.every((client) => beats(client) > 0));
    const [reads, heartbeats] = [source.reads, beats(clients[0]!)];
    await until(() => beats(clients[0]!) >= heartbeats + 5);
    expect(source.reads - reads).toBeLessThanOrEqual(beats(clients[0]!) - heartbeats + 1);
    for (const client of clients) client.close();
    await pause(POLL_MS * 5);
    const after = source.reads;
    await pause(POLL_MS * 10);
    expect(source.reads).toBe(after);
    const late = new TestClient();
    feed.join(late);
    await until(() => late.numbers.length === 10);
    late.close();
  });

  it('begins where the source says', async () => {
    const source = new TestSource();
    source.add(30);
    source.begin = 20;
    const client = new TestClient();
    feedOf(source).join(client);
    await until(() => client.numbers.length > 0);
    source.add(1);
    await until(() => client.numbers.includes(30));
    expect(client.numbers).toEqual(upTo(31).slice(20));
    client.close();
  });

  it('tells of a failure without its cause, once to the log, and goes on', async () => {
    const source = new TestSource();
    const failures: unknown[] = [];
    const client = new TestClient();
    feedOf(source, failures).join(client);
    await until(() => client.messages.length > 0);
    expect(client.messages[0]).toEqual({ type: 'heartbeat', timestamp: 42 });
    source.failures = 3;
    await until(() => source.failures === 0);
    source.add(2);
    await until(() => client.numbers.length === 2);
    expect(failures).toEqual([new Error('no database')]);
    const told = client.messages.filter(({ detail }) => detail !== undefined);
    expect(told).toHaveLength(3);
    expect(told[0]).toEqual({ type: 'heartbeat', timestamp: 42, detail: expect.stringContaining('cannot be read') });
    client.close();
  });

  it('sends nothing to a reader that stands still, and loses nothing of what it missed', async () => {
    const source = new TestSource();
    const [slow, quick] = [new TestClient(), new TestClient()];
    const feed = feedOf(source);
    for (const client of [slow, quick]) feed.join(client);
    source.add(5);
    await until(() => slow.numbers.length === 5 && quick.numbers.length === 5);
    slow.fill(true);
    const known = slow.messages.length;
    source.add(500);
    await until(() => quick.numbers.length === 505);
    expect(slow.messages).toHaveLength(known);
    slow.fill(false);
    await until(() => slow.numbers.length === 505);
    expect(slow.numbers).toEqual(upTo(505));
    for (const client of [slow, quick]) client.close();
  });
});
