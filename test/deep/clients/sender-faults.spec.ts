import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { acceptAll, answerOf, forward, receiveBatches } from '../../support/clients/batch-receiver.js';
import { FAULTS } from '../../support/clients/sender-faults.js';
import {
  senderLanguages,
  type SenderProgram,
  type SenderProgramOptions,
} from '../../support/clients/sender-programs.js';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { tenant, type Tenant } from '../../support/ingestion.js';
import { createTestDatabase } from '../../support/postgres.js';
import { eventually, type ServiceProcess, startService } from '../../support/service-process.js';
import { openAccount, storedEvents } from '../../support/service-traffic.js';

const languages = await senderLanguages();
const present = languages.filter(({ absent }) => absent === undefined);
const LEFT_OUT = languages.flatMap(({ name, absent }) =>
  absent === undefined ? [] : [`the ${name} sender: ${absent}`],
);

const orders = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ event_type: 'order.paid', payload: { n } }));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

afterAll(() => Promise.all(languages.map((language) => language.release())));

for (const reason of LEFT_OUT) it.skip(reason, () => undefined);

describe.each(present)('The $name sender', ({ start }) => {
  let app: TestApp;
  let of: Tenant;

  beforeAll(async () => {
    app = await createTestApp();
  });
  beforeEach(async () => {
    of = await tenant(app, { plan: 'enterprise' });
  });
  afterEach(cleanUp);
  afterAll(() => app.close());

  const sender = (options: Partial<SenderProgramOptions> = {}): Promise<SenderProgram> =>
    start({ url: app.url, apiKey: of.apiKey, ...options });
  const stored = (): Promise<{ source: string; properties: Record<string, unknown> }[]> =>
    app.rows(`SELECT source, properties FROM events WHERE project_id = $1 ORDER BY (properties->>'n')::int`, [
      of.projectId,
    ]);
  const numbers = async (): Promise<unknown[]> => (await stored()).map(({ properties }) => properties.n);

  it.each(Object.keys(FAULTS))('stores each event once when %s', async (name) => {
    let left = 2;
    const relay = await receiveBatches((batch, response) => {
      if (left === 0) return answerOf(app.url, batch, response);
      left -= 1;
      return FAULTS[name]?.(response, () => forward(app.url, batch));
    });
    const made = await sender({ url: relay.url, timeoutMs: name.includes('too long') ? 500 : 10_000 });
    await made.send(orders(3));
    expect(await made.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    expect(await numbers()).toEqual([0, 1, 2]);
    const [first] = relay.requests;
    expect(relay.requests.length).toBeGreaterThan(2);
    for (const { key, lines } of relay.requests)
      expect({ key, lines }).toEqual({ key: first?.key, lines: first?.lines });
  });

  it('waits as long as Retry-After says, unless the program flushes', async () => {
    const receiver = await receiveBatches((batch, response) => {
      const isRepeat = receiver.requests.filter(({ key }) => key === batch.key).length > 1;
      if (batch.apiKey === 'patient' && isRepeat) return acceptAll(batch, response);
      return response.writeHead(503, batch.apiKey === 'patient' ? { 'Retry-After': '3600' } : {}).end();
    });
    const requestsOf = (apiKey: string): { key: string }[] =>
      receiver.requests.filter((request) => request.apiKey === apiKey);
    const patient = await sender({ url: receiver.url, apiKey: 'patient', maxWaitMs: 1 });
    await patient.send(orders(1));
    await eventually(
      () => requestsOf('patient').length,
      (count) => count === 1,
    );
    // The other sender repeats its request by itself, so that much time has passed after three repeats.
    const other = await sender({ url: receiver.url, apiKey: 'other', maxWaitMs: 1 });
    await other.send(orders(1));
    await eventually(
      () => requestsOf('other').length,
      (count) => count === 4,
    );
    expect(requestsOf('patient')).toHaveLength(1);
    expect(await patient.ask({ do: 'flush', timeoutMs: 300_000 })).toEqual({ pending: 0, losses: [], isDone: true });
    const keys = requestsOf('patient').map(({ key }) => key);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('sends a batch that is too large in halves, and reports only the event that is too large by itself', async () => {
    const receiver = await receiveBatches((batch, response) => {
      if (batch.lines.length <= 2 && !batch.lines.join().includes('"n":5')) return acceptAll(batch, response);
      return response.writeHead(413, { 'Content-Type': 'text/html' }).end('<h1>413</h1>');
    });
    const made = await sender({ url: receiver.url });
    await made.send(orders(9));
    expect(await made.flushAll()).toEqual({
      pending: 0,
      losses: [{ reason: 'refused', events: 1, status: 413 }],
      isDone: true,
    });
    const taken = receiver.requests.filter(({ status }) => status === 200).flatMap(({ lines }) => lines);
    const sent = taken.map((line) => (JSON.parse(line) as { payload: { n: number } }).payload.n);
    expect(sent).toEqual([0, 1, 2, 3, 4, 6, 7, 8]);
    expect(new Set(receiver.requests.map(({ key }) => key)).size).toBe(receiver.requests.length);
  });

  it('stores all events of a batch that is larger than what the service takes', async () => {
    const made = await sender({ maxBatchBytes: 50_000_000, maxQueuedBytes: 50_000_000 });
    const text = 'x'.repeat(100_000);
    await made.send(upTo(60).map((n) => ({ event_type: 'order.paid', payload: { n, text } })));
    expect(await made.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    expect(await numbers()).toEqual(upTo(60));
  });

  it('reports which events were refused and why, and stores the others', async () => {
    const made = await sender();
    await made.send([{ event_type: '', payload: { n: 9 } }, ...orders(2)]);
    const { losses } = await made.flushAll();
    expect(await numbers()).toEqual([0, 1]);
    const detail = [expect.objectContaining({ type: 'string_too_short', loc: ['body', 'event_type'] })];
    expect(losses).toEqual([{ reason: 'refused', events: 1, status: 200, detail }]);
  });

  it('reports the reason of the first event when every event is refused', async () => {
    const made = await sender();
    await made.send([{ event_type: '' }, { event_type: '' }]);
    const { losses } = await made.flushAll();
    const detail = [expect.objectContaining({ type: 'string_too_short', loc: ['body', 'event_type'] })];
    expect(losses).toEqual([{ reason: 'refused', events: 2, status: 422, detail }]);
  });

  it('reports a refused key once, and does not send the batch again', async () => {
    const made = await sender({ apiKey: 'oes_unknown' });
    await made.send(orders(3));
    const { losses } = await made.flushAll();
    expect(losses).toEqual([{ reason: 'refused', events: 3, status: 401, detail: 'Invalid API key' }]);
  });

  it.each([301, 302, 303, 307, 308])('reports a redirect %i at once, and does not follow it', async (status) => {
    const receiver = await receiveBatches((_, response) =>
      response.writeHead(status, { Location: '/elsewhere' }).end(),
    );
    const made = await sender({ url: receiver.url });
    await made.send(orders(2));
    const { losses } = await made.flushAll();
    expect(receiver.requests).toHaveLength(1);
    expect(losses).toEqual([
      { reason: 'refused', events: 2, status, detail: 'Redirects are not followed: /elsewhere' },
    ]);
  });

  it('leaves members without a value out, so that the service takes the event', async () => {
    const made = await sender();
    const absent = { source: null, timestamp: null, message: null, severity: null, environment: null, event_id: null };
    await made.send([{ event_type: 'order.paid', ...absent, payload: { n: 0, coupon: null } }]);
    expect(await made.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    expect(await stored()).toEqual([{ source: 'shop', properties: { n: 0, coupon: null, source: 'shop' } }]);
  });

  it.each([
    ['not finite', [null, null, 1]],
    ['broken text', 'a\ufffdb\ufffdc\\u0000'],
  ] as const)('stores an event with a value that is %s', async (value, expected) => {
    const made = await sender();
    await made.ask({ do: 'send value', value });
    expect(await made.flushAll()).toEqual({ pending: 0, losses: [], isDone: true });
    expect((await stored())[0]?.properties.value).toEqual(expected);
  });

  it.each(['circle', 'unknown'] as const)('reports an event whose value JSON cannot write: %s', async (value) => {
    const made = await sender();
    const { pending, losses } = await made.ask({ do: 'send value', value });
    expect({ pending, losses }).toEqual({ pending: 0, losses: [{ reason: 'unserializable', events: 1 }] });
  });

  it('keeps to the bound of its memory, and reports the events that it gives up', async () => {
    const made = await sender({ url: 'http://127.0.0.1:1', maxQueuedBytes: 1_000 });
    const { pending, losses } = await made.send(orders(100));
    expect(pending).toBeGreaterThan(0);
    expect(pending).toBeLessThan(10);
    expect(losses).toEqual(Array(100 - pending).fill({ reason: 'full', events: 1 }));
    expect((await made.ask({ do: 'close', timeoutMs: 20 })).isDone).toBe(false);
    const after = await made.send(orders(1));
    expect(after.losses.slice(-2)).toEqual([
      { reason: 'closed', events: pending },
      { reason: 'closed', events: 1 },
    ]);
  });

  it('sends by itself after a while, and sends full batches at once', async () => {
    const waiting = await sender({ maxWaitMs: 10 });
    await waiting.send(orders(1));
    await eventually(numbers, ({ length }) => length === 1);
    const full = await sender({ maxBatchEvents: 4 });
    await full.send(orders(9));
    await eventually(numbers, ({ length }) => length === 10);
    expect((await full.ask({ do: 'state' })).losses).toEqual([]);
  });

  it('sends waiting events before its program ends', async () => {
    const made = await sender();
    await made.send(orders(5));
    expect(await made.end()).toBe(0);
    expect(await numbers()).toEqual(upTo(5));
  });
});

describe('A sender in each language', () => {
  const KILLS = 20;
  afterEach(cleanUp);

  it(`stores each event once while the service is killed and started again ${KILLS} times`, async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    let service: ServiceProcess = await startService({ env });
    const { apiKey } = await openAccount(service.url, dataDir);
    // The free plan has a quota of 10,000 events.
    await query(database.url, `UPDATE organizations SET plan = 'enterprise'`);
    // Each sender has a relay, whose address stays while the processes behind it change.
    const clients = await Promise.all(
      present.map(async ({ start }) => {
        const { url, requests } = await receiveBatches((batch, response) => answerOf(service.url, batch, response));
        const sender = await start({ url, apiKey, maxBatchEvents: 20, maxWaitMs: 5 });
        return { sender, stored: () => requests.filter(({ status }) => status === 200).length };
      }),
    );
    const ids: string[] = [];
    const sendSome = async (): Promise<void> => {
      await Promise.all(
        clients.map(({ sender }, language) => {
          const more = upTo(200).map((n) => `event-${ids.length}-${language}-${n}`);
          ids.push(...more);
          return sender.send(more.map((id) => ({ event_type: 'order.paid', event_id: id })));
        }),
      );
    };
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = clients.map(({ stored }) => stored());
      await sendSome();
      await eventually(
        () => clients.map(({ stored }) => stored()),
        (answered) => answered.every((count, client) => count > (before[client] ?? 0) + 5),
      );
      service.signal('SIGKILL');
      await sendSome();
      await service.exited;
      service = await startService({ env });
      // The senders wait about as long as the service was away. A flush ends this wait.
      await Promise.all(clients.map(({ sender }) => sender.ask({ do: 'flush', timeoutMs: 1 })));
    }
    const states = await Promise.all(clients.map(({ sender }) => sender.flushAll()));
    expect(states).toEqual(clients.map(() => ({ pending: 0, losses: [], isDone: true })));
    expect(await storedEvents(database.url)).toEqual({ ids: ids.toSorted(), counted: ids.length });
  });
});
