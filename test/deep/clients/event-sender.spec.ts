import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  NotFoundException,
  Param,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import type { Page } from 'playwright-core';
import pinoTransport from '../../../clients/typescript/src/pino.js';
import { recordRequests } from '../../../clients/typescript/src/requests.js';
import { type Client, createClient, stream } from '../../../clients/typescript/src/index.js';
import { EventSender, type Loss, type SenderOptions } from '../../../clients/typescript/src/sender/index.js';
import { ownerWithProject, PASSWORD } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { launchChromium, servePage } from '../../support/chromium.js';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { tenant, type Tenant } from '../../support/ingestion.js';
import { createTestDatabase } from '../../support/postgres.js';
import { senderBundle, withProgram } from '../../support/sender-bundle.js';
import { eventually, type ServiceProcess, startService } from '../../support/service-process.js';
import { openAccount, storedEvents } from '../../support/service-traffic.js';
import { createSource, type KeyRecord, setPlan } from '../../support/sources.js';

/** A page with `EventSender`. */
function pageWithSender(title: string): string {
  const script = senderBundle()
    .replace(/export\{(\w+) as EventSender\};?\s*$/, 'globalThis.EventSender=$1;')
    .replaceAll('</script', '<\\/script');
  return `<!doctype html><title>${title}</title><script type="module">${script}</script>`;
}

interface StoredRow {
  readonly event: string;
  readonly source: string;
  readonly timestamp: Date;
  readonly message: string | null;
  readonly severity: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

describe('the event sender', () => {
  let app: TestApp;
  let of: Tenant;
  const senders: EventSender[] = [];

  beforeAll(async () => {
    app = await createTestApp();
  });
  beforeEach(async () => {
    of = await tenant(app, { plan: 'enterprise' });
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.close({ timeoutMs: 0 });
    await cleanUp();
  });
  afterAll(() => app.close());

  const sender = (options: Partial<SenderOptions> = {}): { sender: EventSender; losses: Loss[] } => {
    const losses: Loss[] = [];
    const made = new EventSender({
      url: app.url,
      apiKey: of.apiKey,
      source: 'shop',
      flushOnExit: false,
      onLoss: (loss) => losses.push(loss),
      ...options,
    });
    senders.push(made);
    return { sender: made, losses };
  };
  const stored = (): Promise<StoredRow[]> =>
    app.rows<StoredRow>(
      `SELECT event, source, "timestamp", message, severity, properties FROM events WHERE project_id = $1
       ORDER BY "timestamp", (properties->>'n')::int`,
      [of.projectId],
    );
  const numbers = async (): Promise<unknown[]> => (await stored()).map(({ properties }) => properties.n);
  /** Sends as many events, numbered. */
  const sendAll = (to: EventSender, count: number): void => {
    for (let n = 0; n < count; n += 1) to.send({ event_type: 'order.paid', payload: { n } });
  };
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  it('sends what is sent together in few requests, at the time at which it was sent', async () => {
    let requests = 0;
    const counted: typeof fetch = (...parameters) => {
      requests += 1;
      return fetch(...parameters);
    };
    const { sender: made, losses } = sender({ fetch: counted, maxBatchEvents: 400 });
    const before = Date.now();
    sendAll(made, 1_000);
    made.send({ event_type: 'order.sent', source: 'depot', timestamp: '2026-01-02T03:04:05.678Z', payload: { n: -1 } });
    const after = Date.now();
    expect(made.pending).toBe(1_001);
    expect(await made.flush()).toBe(true);
    expect(made.pending).toBe(0);
    expect(requests).toBe(3);
    const [first, ...rest] = await stored();
    expect(first).toMatchObject({ event: 'order.sent', source: 'depot' });
    expect(first?.timestamp.toISOString()).toBe('2026-01-02T03:04:05.678Z');
    expect(rest.map(({ properties }) => properties.n)).toEqual(upTo(1_000));
    for (const { source, timestamp } of rest) {
      expect(source).toBe('shop');
      expect(timestamp.getTime()).toBeGreaterThanOrEqual(before);
      expect(timestamp.getTime()).toBeLessThanOrEqual(after);
    }
    expect(losses).toEqual([]);
  });

  it('sends by itself after a while, what an event was when it was sent', async () => {
    const { sender: made } = sender({ maxWaitMs: 10 });
    const payload = { n: 1 };
    made.send({ event_type: 'order.paid', payload });
    payload.n = 2;
    expect(await eventually(numbers, ({ length }) => length > 0)).toEqual([1]);
  });

  it('keeps to its bounds, and never throws, whatever it is told and whoever listens', async () => {
    const losses: Loss[] = [];
    const { sender: made } = sender({
      url: 'http://127.0.0.1:1',
      maxQueuedBytes: 1_000,
      maxWaitMs: 60_000,
      onLoss: (loss) => {
        losses.push(loss);
        throw new Error('a listener that fails');
      },
    });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    made.send({ event_type: 'a', payload: circle });
    made.send({ event_type: 'a', payload: { big: 1n } });
    sendAll(made, 100);
    const { pending } = made;
    expect(pending).toBeGreaterThan(0);
    expect(pending).toBeLessThan(10);
    expect(await made.close({ timeoutMs: 20 })).toBe(false);
    made.send({ event_type: 'a' });
    expect(losses.slice(0, 2)).toEqual(Array(2).fill({ reason: 'unserializable', events: 1 }));
    expect(losses.filter(({ reason }) => reason === 'full')).toHaveLength(100 - pending);
    expect(losses.slice(-2)).toEqual([
      { reason: 'closed', events: pending },
      { reason: 'closed', events: 1 },
    ]);
  });

  it('reports the redirect that a page does not see', async () => {
    let requests = 0;
    const opaque = { type: 'opaqueredirect', status: 0, ok: false, body: null, headers: new Headers() } as Response;
    const { sender: made, losses } = sender({ fetch: () => Promise.resolve((requests++, opaque)) });
    sendAll(made, 2);
    expect(await made.flush()).toBe(true);
    expect(requests).toBe(1);
    expect(losses).toEqual([{ reason: 'refused', events: 2, detail: 'Redirects are not followed' }]);
  });

  it('stores each event once, whatever becomes of requests and answers', async () => {
    const fate = fc.constantFrom('well', 'well', 'lost', 'answer lost', 'answered late');
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 6 }), fc.integer({ min: 1, max: 30 }), async (fates, count) => {
        of = await tenant(app, { plan: 'enterprise' });
        const left = [...fates];
        const faulty: typeof fetch = async (...parameters) => {
          const next = left.shift() ?? 'well';
          if (next === 'lost') throw new TypeError('fetch failed');
          const answer = fetch(...parameters);
          if (next === 'answered late') {
            // Nobody waits for it: the next try comes while this one is under way.
            void answer.catch(() => undefined);
            throw new TypeError('fetch failed');
          }
          const response = await answer;
          if (next === 'answer lost') throw new TypeError('terminated');
          return response;
        };
        const { sender: made, losses } = sender({ fetch: faulty, maxBatchEvents: 7 });
        sendAll(made, count);
        // Each flush ends a wait.
        for (let done = false; !done;) done = await made.flush({ timeoutMs: 20 });
        expect((await numbers()).toSorted((a, b) => Number(a) - Number(b))).toEqual(upTo(count));
        expect(losses).toEqual([]);
      }),
      { numRuns: Number(process.env.SENDER_RUNS ?? 15) },
    );
  });

  it('is small, keeps no program alive, and is done before one ends', async () => {
    expect(gzipSync(senderBundle(), { level: 9 }).length).toBeLessThan(6 * 1024);
    const program = `
      import { EventSender } from './sender.mjs';
      const sender = new EventSender({ url: ${JSON.stringify(app.url)}, apiKey: ${JSON.stringify(of.apiKey)}, source: 'cli' });
      for (let n = 0; n < 5; n += 1) sender.send({ event_type: 'order.paid', payload: { n } });
      console.log('said all');`;
    const { stdout } = await withProgram(program, (path) => promisify(execFile)(process.execPath, [path]));
    expect(stdout).toBe('said all\n');
    expect(await numbers()).toEqual(upTo(5));
  });

  it('sends from a page with a browser-safe key, also what the page has not sent when it is left', async () => {
    const owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
    of = { ...of, projectId: owner.projectId };
    const { id } = await createSource(app, owner, { type: 'browser' });
    const page = await servePage(pageWithSender('Shop'));
    const chromium = await launchChromium();
    try {
      const issued = await app
        .request()
        .post(`/v1/ingest-sources/${id}/browser-keys`)
        .set('Authorization', owner.bearer)
        .send({ name: 'Shop', allowed_origins: [page.origin] })
        .expect(201);
      const options = { url: app.url, apiKey: (issued.body as KeyRecord).key, source: 'page', maxWaitMs: 600_000 };
      const opened = await chromium.context.newPage();
      await opened.goto(page.origin);
      const isStored = await opened.evaluate<boolean>(
        `(globalThis.sender = new EventSender(${JSON.stringify(options)}),
          sender.send({ event_type: 'order.seen', payload: { n: 0 } }), sender.flush())`,
      );
      expect(isStored).toBe(true);
      expect(await numbers()).toEqual([0]);
      await opened.evaluate(`sender.send({ event_type: 'order.left', payload: { n: 1 } })`);
      await opened.close({ runBeforeUnload: true });
      expect(await eventually(numbers, ({ length }) => length === 2)).toEqual([0, 1]);

      // A batch is under way, and more wait than one has.
      const second = await chromium.context.newPage();
      await second.goto(page.origin);
      await second.evaluate(`{
        const sender = new EventSender(${JSON.stringify(options)});
        for (let n = 2; n < 202; n += 1) sender.send({ event_type: 'order.seen', payload: { n } });
        for (let n = 202; n < 500; n += 1) sender.send({ event_type: 'order.left', payload: { n } });
      }`);
      await second.close({ runBeforeUnload: true });
      const all = await eventually(numbers, ({ length }) => length >= 500);
      expect(all.map(Number).sort((a, b) => a - b)).toEqual(upTo(500));
    } finally {
      await chromium.close();
      await page.close();
    }
  });

  it('takes what pino logs', async () => {
    const transport = pinoTransport({ url: app.url, apiKey: of.apiKey, source: 'shop', eventType: 'shop.log' });
    const logger = pino({ base: { n: 0 } }, transport);
    logger.error({ order: 'ö-17' }, 'payment failed');
    logger.info('');
    transport.write('no line of pino\n');
    transport.end();
    await once(transport, 'finish');
    const rows = await stored();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      event: 'shop.log',
      severity: 'error',
      message: 'payment failed',
      properties: { n: 0, order: 'ö-17', status: 'error' },
    });
    expect(rows[1]).toMatchObject({ severity: 'info', message: null });
  });

  it('lets logs show lines of error and fatal as errors, and keeps the status that a line has', async () => {
    const transport = pinoTransport({ url: app.url, apiKey: of.apiKey, source: 'shop' });
    const logger = pino({ base: null }, transport);
    logger.info({ n: 0 });
    logger.warn({ n: 1 });
    logger.error({ n: 2 });
    logger.fatal({ n: 3 });
    logger.error({ n: 4, status: 'retried' });
    logger.error({ n: 5, status_code: 404 });
    transport.write('{"n":6,"level":"ERROR"}\n');
    transport.end();
    await once(transport, 'finish');
    const rows = await app.rows<{ status: number }>(
      `SELECT log_status AS status FROM events WHERE project_id = $1 ORDER BY (properties->>'n')::int`,
      [of.projectId],
    );
    expect(rows.map(({ status }) => status)).toEqual([200, 400, 500, 500, 200, 404, 500]);
  });

  it('takes whatever pino can be made to log', async () => {
    const transport = pinoTransport({ url: app.url, apiKey: of.apiKey, source: 'shop' });
    const options = {
      base: null,
      timestamp: pino.stdTimeFunctions.unixTime,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    const logger = pino(options, transport);
    logger.fatal({ n: 0, msg: 5 });
    logger.warn({ n: 1, msg: { deep: true } });
    for (const line of [
      '{"n":2,"level":true,"time":"nonsense","msg":null}',
      '{"n":3,"level":-1,"time":1e300}',
      '[]',
      '7',
    ])
      transport.write(`${line}\n`);
    transport.end();
    await once(transport, 'finish');
    const rows = await stored();
    const recent = rows.map(({ timestamp }) => Math.abs(new Date(String(timestamp)).getTime() - Date.now()) < 600_000);
    const told = rows.map(({ severity, message, properties }) => {
      const { n, msg } = properties as { n: number; msg?: unknown };
      return { n, severity, message, msg };
    });
    // Whole seconds are rounded up, too.
    expect(told.sort((a, b) => a.n - b.n)).toEqual([
      { n: 0, severity: 'critical', message: null, msg: 5 },
      { n: 1, severity: 'warning', message: null, msg: { deep: true } },
      { n: 2, severity: null, message: null, msg: null },
      { n: 3, severity: null, message: null, msg: undefined },
    ]);
    expect(recent).toEqual([true, true, true, true]);
  });

  it.each(['application', 'module'] as const)('records requests of Nest as a middleware of an %s', async (place) => {
    const { sender: made } = sender({ maxWaitMs: 600_000 });
    const record = recordRequests(made);
    @Controller('orders')
    class OrdersController {
      @Get(':id')
      one(@Param('id') id: string): { id: string } {
        if (id === '18') throw new NotFoundException();
        return { id };
      }
    }
    @Module({ controllers: [OrdersController] })
    class ShopModule implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        if (place === 'module') consumer.apply(record).forRoutes(OrdersController);
      }
    }
    const shop = await NestFactory.create(ShopModule, { logger: false });
    shop.setGlobalPrefix('shop');
    if (place === 'application') shop.use(record);
    await shop.listen(0, '127.0.0.1');
    try {
      const url = await shop.getUrl();
      for (const id of [17, 18]) await (await fetch(`${url}/shop/orders/${id}?token=secret`)).text();
      await eventually(
        () => Promise.resolve(made.pending),
        (pending) => pending === 2,
      );
    } finally {
      await shop.close();
    }
    expect(await made.flush()).toBe(true);
    const rows = await app.rows(
      `SELECT log_method AS method, log_endpoint AS endpoint, log_status AS status FROM events WHERE project_id = $1
       ORDER BY log_status`,
      [of.projectId],
    );
    expect(rows).toEqual([200, 404].map((status) => ({ method: 'GET', endpoint: '/shop/orders/:id', status })));
  });

  it('records requests of a server by their routes', async () => {
    const { sender: made } = sender({ maxWaitMs: 600_000 });
    const server = express()
      .use(recordRequests(made))
      .use(
        '/shop',
        express.Router().get('/orders/:id', (_, response) => void response.status(201).end()),
      )
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await fetch(`${url}/shop/orders/17?token=secret`);
      await fetch(`${url}/nowhere?token=secret`, { method: 'POST' });
      await eventually(
        () => Promise.resolve(made.pending),
        (pending) => pending === 2,
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(await made.flush()).toBe(true);
    const rows = await app.rows(
      `SELECT log_method AS method, log_endpoint AS endpoint, log_status AS status, log_has_latency AS measured
       FROM events WHERE project_id = $1 ORDER BY "timestamp", log_method`,
      [of.projectId],
    );
    expect(rows).toEqual([
      { method: 'GET', endpoint: '/shop/orders/:id', status: 201, measured: true },
      { method: 'POST', endpoint: '/nowhere', status: 404, measured: true },
    ]);
  });
});

/** A page with a sender of its own, which goes where the service has moved to. */
async function pageOf(api: Client, { projectId, url }: { projectId: string; url: string }): Promise<Page> {
  const served = await servePage(pageWithSender('Shop'));
  cleanups.push(() => served.close());
  const chromium = await launchChromium();
  cleanups.push(() => chromium.close());
  const { id: source_id } = await api.createIngestSource({
    body: { project_id: projectId, name: 'Shop', type: 'browser' },
  });
  const { key: apiKey } = await api.createBrowserKey({
    path: { source_id },
    body: { name: 'Shop', allowed_origins: [served.origin] },
  });
  const page = await chromium.context.newPage();
  await page.goto(served.origin);
  await page.evaluate(`{
    globalThis.moved = ${JSON.stringify(url)};
    globalThis.losses = [];
    globalThis.sent = 0;
    globalThis.sender = new EventSender({
      ...${JSON.stringify({ url, apiKey, source: 'page', maxBatchEvents: 20, maxWaitMs: 5 })},
      onLoss: (loss) => losses.push(loss),
      fetch: (at, init) => fetch(at.replace(${JSON.stringify(url)}, moved), init),
    });
    globalThis.sendSome = (until) => {
      for (; sent < until; sent += 1) sender.send({ event_type: 'order.seen', event_id: 'page-event-' + sent });
    };
  }`);
  return page;
}

describe('a service that is killed and started again while events are sent and streamed', () => {
  afterEach(cleanUp);

  it('has each of them once', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    let service: ServiceProcess = await startService({ env });
    const { url } = service;
    const { apiKey, email, projectId } = await openAccount(url, dataDir);
    // As behind a name that stays while what answers to it changes.
    const moving: typeof fetch = (at, init) => fetch((at as string).replace(url, service.url), init);
    const api = createClient({ url, fetch: moving });
    await api.logIn({ body: { username: email, password: PASSWORD } });
    const streamed: (string | null)[] = [];
    let reconnects = 0;
    const leaving = new AbortController();
    const options = { signal: leaving.signal, onReconnect: () => void (reconnects += 1) };
    const reading = (async () => {
      for await (const { event } of stream(api.streamEvents, { query: { project_id: projectId } }, options)) {
        streamed.push(event.external_event_id);
      }
    })().catch((error: unknown) => error);
    const losses: Loss[] = [];
    const sender = new EventSender({
      url,
      apiKey,
      source: 'shop',
      maxBatchEvents: 20,
      maxWaitMs: 5,
      onLoss: (loss) => losses.push(loss),
      fetch: moving,
    });
    const page = await pageOf(api, { projectId, url });
    const ids: string[] = [];
    const sendSome = async (until: number): Promise<void> => {
      await page.evaluate(`sendSome(${until})`);
      while (ids.length < until) {
        for (let more = 0; more < 10; more += 1) {
          const id = `event-${ids.length}`;
          ids.push(id);
          sender.send({ event_type: 'order.paid', event_id: id });
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const restart = async (meanwhile?: () => Promise<void>): Promise<void> => {
      service.signal('SIGKILL');
      await service.exited;
      await meanwhile?.();
      service = await startService({ env });
      await page.evaluate(`globalThis.moved = ${JSON.stringify(service.url)}`);
    };
    for (const until of [300, 600]) {
      await sendSome(until);
      await restart(() => sendSome(until + 100));
    }
    expect(await sender.close()).toBe(true);
    expect(losses).toEqual([]);
    const ofPage = await page.evaluate<object>('sender.close().then((isDone) => ({ isDone, losses, sent }))');
    expect(ofPage).toEqual({ isDone: true, losses: [], sent: ids.length });
    ids.push(...ids.map((id) => `page-${id}`));
    expect(await storedEvents(database.url)).toEqual({ ids: ids.toSorted(), counted: ids.length });
    // A stream goes past what a sender had made before, and could give only after the other's newer events were told: whoever
    // comes again has all that is stored.
    await restart();
    await eventually(
      () => streamed.length,
      (length) => length >= ids.length,
    );
    leaving.abort(new Error('read all'));
    expect(await reading).toEqual(new Error('read all'));
    expect(streamed.toSorted()).toEqual(ids.toSorted());
    expect(reconnects).toBeGreaterThanOrEqual(3);
  });
});
