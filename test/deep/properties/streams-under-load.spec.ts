import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EventListReader } from '../../../src/modules/events/event-store/index.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Actor, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { insertEvents } from '../../support/event-rows.js';
import { StreamClient } from '../../support/event-stream.js';

const KINDS = [
  ['/v1/logs/stream', 'log'],
  ['/v1/events/stream', 'event'],
] as const;

describe('an event stream', () => {
  let app: TestApp;
  let owner: Owner;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function open(
    { projectId }: Pick<Owner, 'projectId'>,
    who: Actor,
    path: string = KINDS[0][0],
    on = app,
  ): Promise<StreamClient> {
    const client = await StreamClient.open(on, `${path}?project_id=${projectId}`, who.bearer);
    clients.push(client);
    return client;
  }

  async function ingest(who: Owner, body: object = {}, on = app): Promise<string> {
    const answer = await on
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', who.apiKey)
      .send({ event_type: 'e', source: 's', ...body })
      .expect(200);
    return (answer.body as { ingested_event_id: string }).ingested_event_id;
  }

  const ascends = (rows: readonly { id: string; timestamp: string }[]): boolean =>
    rows.every(
      (row, index) => index === 0 || rows[index - 1]!.timestamp + rows[index - 1]!.id < row.timestamp + row.id,
    );

  it('sends each reader every event once and in order while many senders race', async () => {
    owner = await ownerWithProject(app);
    const readers = [await open(owner, owner), await open(owner, owner, KINDS[1][0])];
    const sent = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const ids: string[] = [];
        for (let index = 0; index < 40; index += 1) ids.push(await ingest(owner));
        return ids;
      }),
    );
    readers.push(await open(owner, owner));
    const more = await Promise.all(Array.from({ length: 30 }, () => ingest(owner)));
    const all = [...sent.flat(), ...more].sort();
    for (const reader of readers) {
      await reader.until(({ ids }) => ids.length >= all.length);
      expect([...reader.ids].sort()).toEqual(all);
      expect(ascends(reader.rows)).toBe(true);
    }
  });

  it('waits for a transaction that commits an earlier event late', async () => {
    owner = await ownerWithProject(app);
    const first = await ingest(owner);
    const client = await open(owner, owner);
    await client.until(({ ids }) => ids.length === 1);
    const slow = new pg.Client({ connectionString: app.databaseUrl, application_name: 'service-ingest' });
    await slow.connect();
    const late = newId();
    await slow.query('BEGIN');
    await slow.query(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, created_at)
       VALUES ($1, $2, $3, 'late', 's', '{}', 'EVENT', '/', 200, 0, now())`,
      [owner.projectId, new Date(), late],
    );
    const after = await ingest(owner);
    const beats = client.heartbeats.length;
    await client.until(({ heartbeats }) => heartbeats.length >= beats + 4);
    expect(client.ids).toEqual([first]);
    await slow.query('COMMIT');
    await slow.end();
    await client.until(({ ids }) => ids.length === 3);
    expect(client.ids).toEqual([first, late, after]);
  });

  it('waits for events that are not stored yet while another connection stores a large batch', async () => {
    owner = await ownerWithProject(app);
    const ids = [await ingest(owner)];
    const client = await open(owner, owner);
    await client.until((read) => read.ids.length === 1);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    const blocked = (count: number): Promise<unknown> =>
      eventually(
        () =>
          app.rows<{ waiting: number }>(
            `SELECT count(*)::int AS waiting FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'service-ingest' AND wait_event_type = 'Lock'`,
          ),
        ([row]) => row?.waiting === count,
      );
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM organization_months WHERE organization_id = $1 FOR UPDATE', [
      owner.organizationId,
    ]);
    const small = [ingest(owner)];
    await blocked(1);
    small.push(ingest(owner));
    // Enough to fill a batch: another connection begins with what waits.
    const large = app
      .request()
      .post('/v1/events/ingest')
      .set({ 'X-API-Key': owner.apiKey, 'Content-Type': 'application/x-ndjson' })
      .send('{"event_type":"e","source":"s"}\n'.repeat(600))
      .expect(200);
    const sent = large.then(({ body }) =>
      (body as { results: { ingested_event_id: string }[] }).results.map((line) => line.ingested_event_id),
    );
    await blocked(2);
    // Longer than an event takes in the usual course.
    const beats = client.heartbeats.length;
    await client.until(({ heartbeats }) => heartbeats.length >= beats + 4);
    await other.query('COMMIT');
    await other.end();
    ids.push(...(await Promise.all(small)), ...(await sent));
    await client.until((read) => read.ids.length >= ids.length);
    expect([...client.ids].sort()).toEqual(ids.sort());
  });

  it('skips an event that is older than the last one sent, and holds back an event of the future', async () => {
    owner = await ownerWithProject(app);
    // Before its time comes all others are to be there, however slow the machine is.
    const ahead = await ingest(owner, { timestamp: new Date(Date.now() + 15_000).toISOString() });
    const before = await ingest(owner, { timestamp: new Date(Date.now() - 60_000).toISOString() });
    const client = await open(owner, owner);
    await client.until(({ ids }) => ids.length === 1);
    const old = await ingest(owner, { timestamp: new Date(Date.now() - 30_000).toISOString() });
    await client.until(({ ids }) => ids.length === 2);
    await ingest(owner, { timestamp: new Date(Date.now() - 45_000).toISOString() });
    const now = await ingest(owner);
    await client.until(({ ids }) => ids.length === 4);
    expect(client.ids).toEqual([before, old, now, ahead]);
  });

  it('begins with the newest 10,000 of many existing events', async () => {
    owner = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, created_at)
       SELECT $1, now() - interval '1 hour' + (n / 3) * interval '1 ms', gen_random_uuid(), 'n' || n, 's', '{}', 'GET', '/', 200, 0, now()
       FROM generate_series(1, 10500) n`,
      [owner.projectId],
    );
    const client = await open(owner, owner, KINDS[1][0]);
    await client.until(({ messages }) => messages.at(-1)?.type === 'heartbeat');
    expect(client.rows).toHaveLength(10_000);
    expect(ascends(client.rows)).toBe(true);
    expect(new Set(client.ids).size).toBe(10_000);
    const newest = await app.rows<{ id: string }>(
      `SELECT id FROM events WHERE project_id = $1 ORDER BY "timestamp" DESC, id DESC LIMIT 1`,
      [owner.projectId],
    );
    expect(client.ids.at(-1)).toBe(newest[0]?.id);
  });

  it('shares its polls among 200 readers, and returns 429 beyond the limit of open streams', async () => {
    owner = await ownerWithProject(app);
    const reads = app.nest.get(EventListReader, { strict: false });
    const after: typeof reads.after = reads.after.bind(reads);
    let polls = 0;
    reads.after = (...what) => {
      polls += 1;
      return after(...what);
    };
    const readers = await Promise.all(Array.from({ length: 200 }, () => open(owner, owner)));
    await Promise.all(readers.map((reader) => reader.until(({ heartbeats }) => heartbeats.length > 0)));
    polls = 0;
    const [watched] = readers;
    const seen = watched!.heartbeats.length;
    const id = await ingest(owner);
    await Promise.all(readers.map((reader) => reader.until(({ ids }) => ids.includes(id))));
    await watched!.until(({ heartbeats }) => heartbeats.length >= seen + 3);
    // Each poll gave the first reader a row or a heartbeat; one more may be under way.
    expect(polls).toBeLessThanOrEqual(watched!.heartbeats.length - seen + 2);
    for (const reader of readers) expect(reader.ids).toEqual([id]);

    const others = await Promise.all(Array.from({ length: 50 }, () => open(owner, owner, KINDS[1][0])));
    const refused = await app
      .request()
      .get(KINDS[0][0])
      .set('Authorization', owner.bearer)
      .query({ project_id: owner.projectId });
    expect([refused.status, refused.body]).toEqual([429, { detail: 'Too many open streams' }]);
    expect(refused.headers['retry-after']).toBe('10');
    others[0]?.close();
    const openNext = async (): Promise<number> => {
      const next = await StreamClient.open(app, `${KINDS[0][0]}?project_id=${owner.projectId}`, owner.bearer);
      clients.push(next);
      return next.status;
    };
    await eventually(openNext, (status) => status === 200);
  });

  it('buffers little for a reader that pauses, loses none of its events, and does not delay other readers', async () => {
    owner = await ownerWithProject(app);
    const [slow, quick] = [await open(owner, owner), await open(owner, owner)];
    await Promise.all([slow, quick].map((one) => one.until(({ heartbeats }) => heartbeats.length > 0)));
    slow.pause();
    const rows = Array.from({ length: 1_500 }, (_, index) => ({
      timestamp: new Date(Date.now() + index),
      properties: { filler: 'x'.repeat(20_000) },
    }));
    for (let at = 0; at < rows.length; at += 100) await insertEvents(app, owner.projectId, rows.slice(at, at + 100));
    await quick.until(({ ids }) => ids.length === 1_500);
    const waiting = openResponses(app).map(({ writableLength }) => writableLength);
    // Of some 60 MB that the slow one has yet to read, the service holds what made it full.
    expect(Math.max(...waiting)).toBeLessThan(400_000);
    slow.resume();
    await slow.until(({ ids }) => ids.length === 1_500);
    expect(slow.ids).toEqual(quick.ids);
    expect(ascends(slow.rows)).toBe(true);
  });

  it('reports that it cannot read, and continues when it can', async () => {
    const lame = await createTestApp();
    try {
      const their = await ownerWithProject(lame);
      const client = await open(their, their, KINDS[0][0], lame);
      await client.until(({ heartbeats }) => heartbeats.length > 0);
      await lame.rows('ALTER TABLE events RENAME TO elsewhere');
      await client.until(({ heartbeats }) => heartbeats.at(-1)?.detail !== undefined);
      expect(client.heartbeats.at(-1)).toEqual({
        type: 'heartbeat',
        timestamp: expect.any(Number),
        detail: 'The stream cannot be read at the moment; it goes on by itself',
      });
      await lame.rows('ALTER TABLE elsewhere RENAME TO events');
      const id = await ingest(their, {}, lame);
      await client.until(({ ids }) => ids.includes(id));
      expect(lame.logLines.filter((line) => line.includes('\\"events\\" does not exist')).length).toBeGreaterThan(0);
    } finally {
      const ends = clients.map(({ over }) => over);
      await lame.close();
      await Promise.all(ends);
    }
  });
});

/** The answers under way on an instance. */
function openResponses(app: TestApp): { writableLength: number }[] {
  const server = app.nest.getHttpServer() as unknown as Record<symbol, unknown>;
  const list = Object.getOwnPropertySymbols(server)
    .map(
      (symbol) =>
        server[symbol] as { all?: () => { socket: { _httpMessage?: { writableLength: number } } }[] } | undefined,
    )
    .find((value) => typeof value?.all === 'function');
  return (list?.all?.() ?? []).flatMap(({ socket }) => socket._httpMessage ?? []);
}
