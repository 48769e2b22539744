import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { EventRowsReader } from '../../../src/modules/events/event-store/index.js';
import { ReadBudget } from '../../../src/modules/events/reads/index.js';
import type { Hold } from '../../../src/modules/events/reads/read-budget.js';
import { SLOW_CLIENT_LIMITS } from '../../../src/platform/http/slow-client.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { StreamClient } from '../../support/event-stream.js';
import { eventually } from '../../support/service-process.js';
import { createSource, ingest, type SourceRecord } from '../../support/sources.js';

const MIB = 1024 * 1024;
const PAGE_BYTES = 4 * MIB;
const EVENTS = 14;
/** Nearly the largest body. */
const LARGE = 1_000_000;

interface Item {
  id: string;
  event: string;
  properties: object;
}

describe('a large event', () => {
  let app: TestApp;
  let owner: Owner;
  let source: SourceRecord;
  let ids: string[];

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app);
    source = await createSource(app, owner);
    ids = [];
    for (let n = 0; n < EVENTS; n += 1) {
      const filler = { text: 'x'.repeat(LARGE - 500), number: 1e100, list: [{}, []] };
      const request = ingest(app, source.key.key, { event_type: `large-${n}`, payload: filler });
      ids.unshift(((await request.expect(200)).body as { ingested_event_id: string }).ingested_event_id);
    }
  });
  afterAll(() => app.close());

  const get = (path: string, query: object = {}) =>
    app
      .request()
      .get(path)
      .set('Authorization', owner.bearer)
      .query({ project_id: owner.projectId, ...query });

  async function exported(): Promise<string[]> {
    const answer = await app
      .request()
      .post(`/v1/projects/${owner.projectId}/events/export`)
      .set('Authorization', owner.bearer)
      .buffer(true)
      .parse((response, done) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => done(null, text));
      });
    const lines = (answer.body as string).trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as Item).id);
  }

  async function pages(path: string): Promise<string[][]> {
    const all: string[][] = [];
    for (let before: string | null | undefined; before !== null;) {
      const answer = await get(path, { limit: 500, ...(before === undefined ? {} : { before }) }).expect(200);
      const { items, next_before: next } = answer.body as { items: Item[]; next_before: string | null };
      expect(items.length === 1 || answer.text.length < PAGE_BYTES + 100_000).toBe(true);
      all.push(items.map(({ id }) => id));
      before = next;
    }
    return all;
  }

  it.each([['/v1/events'], ['the source']])('appears exactly once in the small pages of %s', async (name) => {
    const found = await pages(name === 'the source' ? `/v1/ingest-sources/${source.id}/events` : name);
    expect(found.map((page) => page.length)).toEqual([4, 4, 4, 2]);
    expect(found.flat()).toEqual(ids);
  });

  it('appears exactly once in the small pages of the explorer, which keep the total', async () => {
    const seen: string[] = [];
    for (let more = true; more;) {
      const query = { limit: 500, offset: seen.length };
      const { body } = await get(`/v1/projects/${owner.projectId}/events`, query).expect(200);
      const page = body as { items: Item[]; total: number; has_more: boolean; offset: number };
      expect(page).toMatchObject({ total: EVENTS, offset: seen.length });
      expect(page.items.length).toBeLessThanOrEqual(4);
      seen.push(...page.items.map(({ id }) => id));
      more = page.has_more;
    }
    expect(seen).toEqual(ids);
  });

  it('limits the log to fewer rows, the newest ones', async () => {
    const { body } = await get('/v1/logs', { limit: 500 }).expect(200);
    expect((body as Item[]).map(({ id }) => id)).toEqual(ids.slice(0, 4));
    const filtered = await get('/v1/logs', { limit: 500, query: 'LARGE-1' }).expect(200);
    expect(filtered.body).toHaveLength(4);
  });

  it('is alone on a page that it exceeds, also when its size was not stored', async () => {
    const other = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, created_at)
       SELECT $1, now() - n * interval '1 second', gen_random_uuid(), n::text, 's',
              CASE WHEN n <= 2 THEN jsonb_build_object('a', (SELECT jsonb_agg(1e308::numeric) FROM generate_series(1, 15000)))
                   ELSE '{"a": 1}' END, 'GET', '/', 200, 0, now()
       FROM generate_series(1, 400) n`,
      [other.projectId],
    );
    const page = async (before?: string): Promise<{ items: Item[]; next_before: string | null }> => {
      const query = { project_id: other.projectId, limit: 500, ...(before === undefined ? {} : { before }) };
      const answer = await get('/v1/events', query).set('Authorization', other.bearer).expect(200);
      return answer.body as { items: Item[]; next_before: string | null };
    };
    const first = await page();
    expect(first.items.map(({ event }) => event)).toEqual(['1']);
    const second = await page(first.next_before ?? '');
    expect(second.items.map(({ event }) => event)).toEqual(['2']);
    const rest = await page(second.next_before ?? '');
    expect([rest.items.length, rest.next_before]).toEqual([398, null]);
  });

  it('is complete in its details, in the sampled schema, in an export and in a stream', async () => {
    const [id = ''] = ids;
    const detail = await get(`/v1/projects/${owner.projectId}/events/${id}`).expect(200);
    const { properties, log } = detail.body as Item & { log: { request_body: { properties: object } } };
    expect(log.request_body.properties).toEqual(properties);
    expect(properties).toMatchObject({ number: 1e100, list: [{}, []] });

    const schema = await get(`/v1/ingest-sources/${source.id}/schema`).expect(200);
    expect(schema.body).toMatchObject({ sampled_events: 4, event_types: { length: 4 } });

    expect(await exported()).toEqual(ids);

    for (const path of ['/v1/events/stream', '/v1/logs/stream']) {
      const client = await StreamClient.open(app, `${path}?project_id=${owner.projectId}`, owner.bearer);
      await client.until((of) => of.ids.length === EVENTS);
      expect(client.ids).toEqual([...ids].reverse());
      client.close();
    }
  });

  it('waits for other large reads or returns 503 with Retry-After, while another project is read', async () => {
    const other = await ownerWithProject(app);
    const small = await ingest(app, other.apiKey).expect(200);
    const { ingested_event_id: smallId } = small.body as { ingested_event_id: string };
    const hold = await app.nest.get(ReadBudget, { strict: false }).take(owner.projectId, 1_000 * MIB);
    const answered: Response[] = [];
    const asked = Array.from({ length: 20 }, () =>
      get('/v1/events', { limit: 1 }).then((answer) => void answered.push(answer)),
    );
    // Whoever asks when there is room again has a turn: all of them are to ask before.
    await eventually(
      () => answered.length,
      (count) => count === 4,
    );
    for (const { headers } of answered) expect(headers['retry-after']).toBe('2');
    const theirs = await get('/v1/events', { project_id: other.projectId })
      .set('Authorization', other.bearer)
      .expect(200);
    expect((theirs.body as { items: Item[] }).items.map(({ id }) => id)).toEqual([smallId]);
    hold.read();
    hold.sent();
    await Promise.all(asked);
    const of = (status: number) => answered.filter((answer) => answer.status === status);
    expect([of(200).length, of(503).length]).toEqual([16, 4]);
    for (const { body } of of(503)) expect(body).toEqual({ detail: 'Too many large reads at once' });
  });

  describe('an answer that its client does not read', () => {
    const KEPT = 40 * MIB;
    let slow: Owner;

    beforeAll(async () => {
      slow = await ownerWithProject(app);
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, bytes, log_method, log_endpoint,
                             log_status, log_latency_ms, created_at)
         SELECT $1, now(), gen_random_uuid(), 'e', 's', jsonb_build_object('filler', repeat('x', $2)), $2, 'GET', '/', 200, 0,
                now()`,
        [slow.projectId, KEPT],
      );
    });
    afterEach(() => void jest.restoreAllMocks());

    const budget = (): ReadBudget => app.nest.get(ReadBudget, { strict: false });
    /** Over a socket of its own that reads nothing unless it is told to. */
    function ask(): { request: ClientRequest; answered: Promise<IncomingMessage>; gone: Promise<void> } {
      const request = httpRequest(`${app.url}/v1/events?project_id=${slow.projectId}`, {
        headers: { Authorization: slow.bearer },
        agent: false,
      });
      const gone = new Promise<void>((resolve) => request.once('close', resolve).on('error', () => undefined));
      const answered = new Promise<IncomingMessage>((resolve) => {
        request.once('response', (response) => {
          response.on('error', () => undefined).pause();
          resolve(response);
        });
      });
      request.end();
      return { request, answered, gone };
    }
    /** Whether nothing of the project is in memory. */
    const isFree = (): boolean => {
      const hold = budget().tryTake(slow.projectId, 32 * MIB);
      hold?.read();
      hold?.sent();
      return hold !== null;
    };
    const isFreeAgain = (): Promise<boolean> =>
      eventually(
        () => Promise.resolve(isFree()),
        (free) => free,
      );

    it('counts against the read budget until its connection breaks', async () => {
      const { request, answered } = ask();
      await answered;
      expect(isFree()).toBe(false);
      request.destroy();
      expect(await isFreeAgain()).toBe(true);
    });

    it('stops counting when its client disconnects before the events are read', async () => {
      const rows = app.nest.get(EventRowsReader, { strict: false });
      const read = rows.read.bind(rows) as (...parameters: unknown[]) => Promise<unknown[]>;
      let reached: () => void = () => undefined;
      const reading = new Promise<void>((resolve) => (reached = resolve));
      let goOn: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      jest.spyOn(rows, 'read').mockImplementation(async (...parameters: unknown[]) => {
        reached();
        await held;
        return await read(...parameters);
      });
      const { request, gone } = ask();
      await reading;
      expect(isFree()).toBe(false);
      request.destroy();
      await gone;
      goOn();
      expect(await isFreeAgain()).toBe(true);
    });

    it('stops counting after the time limit of slow clients', async () => {
      jest.replaceProperty(SLOW_CLIENT_LIMITS, 'stalledMs', 300);
      jest.replaceProperty(SLOW_CLIENT_LIMITS, 'bytesPerSecond', 1_000 * MIB);
      const { answered, gone } = ask();
      const response = await answered;
      // Takes a little, again and again, until it is let go.
      const taking = setInterval(() => {
        response.resume();
        response.once('data', () => response.pause());
      }, 10);
      expect(await isFreeAgain()).toBe(true);
      clearInterval(taking);
      response.resume();
      await gone;
      expect(response.complete).toBe(false);
    });

    it('leaves room for other projects, no matter how many clients are slow', async () => {
      const held: Hold[] = [];
      for (const project of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        for (;;) {
          const hold = budget().tryTake(project, 4 * MIB);
          if (hold === null) break;
          hold.read();
          held.push(hold);
        }
      }
      try {
        expect(held.length).toBeGreaterThan(8);
        const answer = await get('/v1/events', { limit: 4 }).expect(200);
        expect((answer.body as { items: Item[] }).items.map(({ id }) => id)).toEqual(ids.slice(0, 4));
      } finally {
        for (const hold of held) hold.sent();
      }
    });

    it('does not cut off an export of the same project', async () => {
      const hold = await budget().take(owner.projectId, 1_000 * MIB);
      hold.read();
      try {
        expect(await exported()).toEqual(ids);
      } finally {
        hold.sent();
      }
    });
  });

  it('is stored unchanged when many senders send at the same time', async () => {
    const other = await ownerWithProject(app);
    const payload = { list: Array.from({ length: 30_000 }, () => ({})) };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ingest(app, n % 2 === 0 ? other.apiKey : source.key.key, { payload })),
    );
    for (const { status, body } of answers) {
      expect([status, (body as Item).properties]).toEqual([200, { ...payload, source: 'shop' }]);
    }
  });

  it('is refused with 413 as a login form of 100,000 repeated fields', async () => {
    const formOf = (repeats: number) =>
      app
        .request()
        .post('/v1/auth/login')
        .type('form')
        .send(`username=a&${'password=&'.repeat(repeats)}`);
    expect((await formOf(1_600)).status).toBe(422);
    expect((await formOf(100_000)).status).toBe(413);
  });
});
