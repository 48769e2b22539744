import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { newOrganizationId, newProjectId } from '../../src/modules/access/index.js';
import type {
  AllowanceReader,
  SenderAllowances,
} from '../../src/modules/events/ingestion/queueing/allowance.reader.js';
import { normalizeEvent } from '../../src/modules/events/ingestion/normalized-event.js';
import { EventQueue } from '../../src/modules/events/ingestion/queueing/event-queue.js';
import { RequestStream } from '../../src/modules/events/ingestion/queueing/request-stream.js';
import { StreamDrain } from '../../src/modules/events/ingestion/queueing/stream-drain.js';
import type { UniqueEventsWriter } from '../../src/modules/events/event-store/writing/unique-events.writer.js';
import type { Sender, Verdict, WriteRequest } from '../../src/modules/events/event-store/writing/write-request.js';
import { OutcomeUnknown } from '../../src/platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../src/platform/http/domain-error.js';
import { newId } from '../../src/platform/ids/index.js';
import { describeWithRedis, type RedisServer, startRedis } from '../support/redis.js';
import { eventually } from '../support/service-process.js';

const AT = new Date('2026-03-01T10:00:00.000Z');
const UNLIMITED: SenderAllowances = {
  at: AT,
  closed: null,
  billingStatus: 'active',
  events: { used: 0, limit: null },
  requests: { used: 0, limit: null },
  today: { used: 0, limit: null },
};

describeWithRedis('the queue of events', () => {
  let server: RedisServer;
  let redis: Redis;
  let stream: RequestStream;
  let queue: EventQueue;
  let sender: Sender;
  /** What the database says, and what happens while it is asked. */
  let allowances: SenderAllowances;
  let meanwhile: () => Promise<unknown>;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
    stream = new RequestStream(server.url, () => undefined);
    const reader: Pick<AllowanceReader, 'read' | 'answerOf'> = {
      read: async () => {
        await meanwhile();
        return allowances;
      },
      answerOf: () => Promise.resolve(null),
    };
    const noDuplicates: Pick<UniqueEventsWriter, 'duplicatesOf'> = { duplicatesOf: () => Promise.resolve(new Map()) };
    queue = new EventQueue(stream, reader as AllowanceReader, noDuplicates as UniqueEventsWriter);
    sender = { organizationId: newOrganizationId(), projectId: newProjectId(), sourceId: newId(), apiKeyId: newId() };
    allowances = UNLIMITED;
    meanwhile = () => Promise.resolve();
  });
  afterEach(() => stream.onApplicationShutdown());

  const requestOf = (from: Sender, events: number): WriteRequest => {
    const event = (): WriteRequest['events'][number] =>
      normalizeEvent({ event_type: 'a', source: 's' }, newId(), AT, (properties) => properties);
    return { sender: from, events: Array.from({ length: events }, event), idempotency: null };
  };
  const send = (events = 1, from = sender): Promise<Verdict> => queue.submit(requestOf(from, events));
  const waiting = (): Promise<number> => redis.xlen('{ingest}:requests');
  const reasonOf = async (): Promise<string> => {
    const verdict = await send();
    return verdict.kind === 'refused' ? verdict.refusal.reason : verdict.kind;
  };
  /** Stores what waits, as the database counts it. Resolves with what lets it go, as a worker does a moment later. */
  const store = async (from = sender): Promise<() => Promise<void>> => {
    await stream.prepare();
    const entries = await stream.read('test', 1_000, 10);
    await stream.begin(entries.map((entry) => ({ entry, sender: from })));
    const stored = entries.reduce((sum, { admitted }) => sum + admitted, 0);
    const more = <A extends { used: number }>(allowance: A): A => ({ ...allowance, used: allowance.used + stored });
    allowances = { ...allowances, events: more(allowances.events), today: more(allowances.today) };
    return async () => {
      for (const entry of entries) await stream.release(entry, from, AT);
    };
  };
  const drain = async (): Promise<void> => (await store())();

  const [LEFT, OVER] = [
    { used: 3, limit: 10 },
    { used: 10, limit: 10 },
  ];
  it.each([
    [
      'billing before all limits',
      { billingStatus: 'inactive', events: OVER, requests: OVER, today: OVER },
      'billing_inactive',
    ],
    ['the month before the requests and the day', { events: OVER, requests: OVER, today: OVER }, 'limit_exceeded'],
    ['the requests before the day', { events: LEFT, requests: OVER, today: OVER }, 'request_limit_exceeded'],
    ['the day last', { events: LEFT, requests: LEFT, today: OVER }, 'daily_limit_exceeded'],
    ['none when all limits have room', { events: LEFT, requests: LEFT, today: LEFT }, 'written'],
  ])('refuses a request for the first of several reasons: %s', async (_, known, reason) => {
    allowances = { ...UNLIMITED, ...known };
    expect(await reasonOf()).toBe(reason);
    expect(await waiting()).toBe(reason === 'written' ? 1 : 0);
  });

  it('refuses for the month before the requests and the day, also when waiting events exceed it', async () => {
    expect(await send(7, { ...sender, sourceId: newId() })).toMatchObject({ kind: 'written', admitted: 7 });
    allowances = { ...UNLIMITED, events: LEFT, today: OVER };
    expect(await reasonOf()).toBe('limit_exceeded');
    allowances = { ...UNLIMITED, events: LEFT, requests: OVER };
    expect(await reasonOf()).toBe('limit_exceeded');
    expect(await waiting()).toBe(1);
  });

  it('refuses for the requests before the day, also when waiting events exceed the day', async () => {
    expect(await send(7)).toMatchObject({ kind: 'written' });
    allowances = { ...UNLIMITED, requests: OVER, today: LEFT };
    expect(await reasonOf()).toBe('request_limit_exceeded');
    allowances = { ...UNLIMITED, today: LEFT };
    expect(await reasonOf()).toBe('daily_limit_exceeded');
  });

  it('admits what fits next to waiting events, and counts what was stored only once', async () => {
    allowances = { ...UNLIMITED, events: { used: 0, limit: 10 } };
    expect(await send(4)).toMatchObject({ admitted: 4, rest: null });
    await drain();
    expect(await send(4)).toMatchObject({ admitted: 4, rest: null });
    expect(await send(4)).toMatchObject({ admitted: 2, rest: 'limit_exceeded' });
    await drain();
    expect(allowances.events.used).toBe(10);
    expect(await reasonOf()).toBe('limit_exceeded');
  });

  it.each([
    ['month', { events: { used: 0, limit: 10 } }],
    ['day', { today: { used: 0, limit: 10 } }],
  ])('refuses nothing of the %s while what it counts twice has yet to be let go', async (_, limits) => {
    allowances = { ...UNLIMITED, ...limits };
    expect(await send(7)).toMatchObject({ admitted: 7, rest: null });
    const release = await store();
    let looks = 0;
    meanwhile = async () => {
      looks += 1;
      if (looks === 4) await release();
    };
    // Seven are in the database, and seven in the stream: the same ones.
    expect(await send(3)).toMatchObject({ admitted: 3, rest: null });
    expect(looks).toBe(5);
  });

  it('counts what is let go at once, once, whoever else lets it go', async () => {
    for (const events of [1, 2, 3]) await send(events);
    await send(5, { ...sender, sourceId: newId() });
    await stream.prepare();
    const entries = await stream.read('test', 1_000, 10);
    await stream.begin(entries.map((entry) => ({ entry, sender })));
    const other = new RequestStream(server.url, () => undefined);
    const mine = entries.slice(0, 3);
    await Promise.all([stream, other].flatMap((one) => mine.map((entry) => one.release(entry, sender, AT))));
    expect(await stream.stored(sender, '2026-03-01')).toEqual({ month: 6, day: 6 });
    expect(await waiting()).toBe(1);
    expect(await redis.scard(`{ingest}:work:${sender.organizationId}`)).toBe(1);
    other.onApplicationShutdown();
  });

  it('asks for many requests of a sender at once, and admits what fits', async () => {
    allowances = { ...UNLIMITED, events: { used: 0, limit: 7 } };
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(verdicts.filter(({ kind }) => kind === 'written')).toHaveLength(7);
    expect(verdicts.filter(({ kind }) => kind === 'refused')).toHaveLength(13);
    expect(await waiting()).toBe(7);
  });

  it('refuses at once what the database alone has no room for, whatever is at work', async () => {
    allowances = { ...UNLIMITED, events: { used: 0, limit: 10 }, today: { used: 0, limit: 100 } };
    expect(await send(10)).toMatchObject({ admitted: 10 });
    await store();
    let looks = 0;
    meanwhile = () => Promise.resolve((looks += 1));
    expect(await reasonOf()).toBe('limit_exceeded');
    expect(looks).toBe(1);
  });

  it('admits nothing too much when Redis loses its memory while the database is asked', async () => {
    allowances = { ...UNLIMITED, events: { used: 0, limit: 5 }, today: { used: 0, limit: 100 } };
    expect(await send(4)).toMatchObject({ admitted: 4 });
    await drain();
    // The day is known by now, so that this comes between the two looks.
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await redis.flushall();
    };
    expect(await send(3)).toMatchObject({ admitted: 1, rest: 'limit_exceeded' });
  });

  it('never calls a request refused that may have been taken', async () => {
    const isAway = (verdict: unknown): boolean => verdict instanceof ServiceOverloaded;
    expect(await send()).toMatchObject({ kind: 'written' });
    // Writes wait from here on, so that the request is on its way when its connection ends.
    await redis.client('PAUSE', 60_000, 'WRITE');
    const outcome = send().catch((error: unknown) => error);
    await eventually(
      () => redis.info('clients'),
      (text) => /blocked_clients:1\b/.test(text),
    );
    await server.kill9();
    expect(await outcome).toBeInstanceOf(OutcomeUnknown);
    await eventually(() => send().catch((error: unknown) => error), isAway);
    await server.restart();
    await eventually(
      () => send().catch((error: unknown) => error),
      (verdict) => !isAway(verdict),
    );
    expect(await waiting()).toBe(1);
  });

  it('notifies that it is drained once what it held is stored, and not while that waits', async () => {
    let told = 0;
    let store: (() => void) | undefined;
    const verdict = new Promise<Verdict>((resolve) => {
      store = () => resolve({ kind: 'closed', why: 'gone' });
    });
    let atSubmission: number | undefined;
    const drain = new StreamDrain(
      stream,
      {
        submit: () => {
          atSubmission = told;
          return verdict;
        },
      },
      { tell: () => (told += 1) },
    );
    drain.onApplicationBootstrap();
    try {
      await eventually(
        () => Promise.resolve(told),
        (count) => count > 0,
      );
      await queue.submit(requestOf(sender, 1));
      await eventually(
        () => Promise.resolve(atSubmission),
        (count) => count !== undefined,
      );
      expect([await stream.length(), told]).toEqual([1, atSubmission]);
      store?.();
      await eventually(
        () => Promise.resolve(told),
        (count) => count > (atSubmission ?? 0),
      );
      expect(await stream.length()).toBe(0);
    } finally {
      await drain.beforeApplicationShutdown();
    }
  });
});
