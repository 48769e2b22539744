import { setTimeout as pause } from 'node:timers/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ProjectId } from '../../../src/modules/access/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { countEvents } from '../../support/event-rows.js';
import type { StoredEvent } from '../../../src/modules/events/fields/index.js';
import { EventRowsReader, type Locator, type Selection } from '../../../src/modules/events/event-store/index.js';
import { ExportLimits } from '../../../src/modules/events/explorer/export-limits.js';
import { newId } from '../../../src/platform/ids/index.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('the events explorer', () => {
  let app: TestApp;
  let owner: Owner;
  let sourceId: string;
  const now = Date.now();
  const ago = (ms: number): string => new Date(now - ms).toISOString();

  beforeAll(async () => {
    app = await createTestApp();
    owner = await ownerWithProject(app, 'Tea House');
    const rare = { severity: 'critical', environment: 'staging' };
    const events: object[] = [
      { event_type: 'a', timestamp: ago(MINUTE_MS), severity: 'info', status: 'ok', environment: 'production' },
      { event_type: 'a', timestamp: ago(2 * MINUTE_MS), severity: 'info', message: 'hello', event_id: 'x-1' },
      { event_type: 'b', timestamp: ago(30 * MINUTE_MS), ...rare, payload: { latency_ms: 7, path: '/b' } },
      { event_type: 'b', timestamp: ago(3 * HOUR_MS), severity: 'info' },
      { event_type: 'c', timestamp: ago(5 * HOUR_MS), ...rare, status: 'failed' },
      { event_type: 'a', timestamp: ago(30 * HOUR_MS), severity: 'info' },
      { event_type: 'a', timestamp: ago(8 * 24 * HOUR_MS), ...rare },
      { event_type: 'a', timestamp: ago(40 * 24 * HOUR_MS) },
      { event_type: 'ahead', timestamp: ago(-HOUR_MS) },
    ];
    for (const body of events) {
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ source: 'web', ...body })
        .expect(200);
    }
    sourceId = newId();
    await app.rows(`INSERT INTO event_sources (id, project_id, name, type) VALUES ($1, $2, 'Browser', 'browser')`, [
      sourceId,
      owner.projectId,
    ]);
    const key = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, name: 'k', scopes: ['events:write'] })
      .expect(201);
    await app.rows('UPDATE api_keys SET source_id = $1 WHERE id = $2', [sourceId, (key.body as { id: string }).id]);
    await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', (key.body as { key: string }).key)
      .send({ event_type: 'from.source', source: 'browser', timestamp: ago(10 * MINUTE_MS) })
      .expect(200);
  });
  afterAll(() => app.close());

  describe('export', () => {
    /** Tells of every read of whole events; what measures those without a size is none. */
    const watchReads = (tell: (found: readonly StoredEvent[]) => void): void => {
      const events = app.nest.get(EventRowsReader, { strict: false });
      events.read = async <Row>(
        scope: { projectId: ProjectId },
        locators: readonly Locator[],
        selection: Selection<Row>,
      ) => {
        const found = await EventRowsReader.prototype.read.call(events, scope, locators, selection);
        if (selection.columns.includes('external_event_id')) tell(found as StoredEvent[]);
        return found as Row[];
      };
    };

    it('holds little of many events, and stops reading for a client that left or stands still', async () => {
      const other = await ownerWithProject(app);
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                             log_latency_ms, created_at)
         SELECT $1, now() - n * interval '1 second', gen_random_uuid(), 'big', 's',
                jsonb_build_object('filler', repeat('x', 20000), 'n', n), 'GET', '/', 200, 0, now()
         FROM generate_series(1, 3000) n`,
        [other.projectId],
      );
      await countEvents(app);
      const url = `${app.url}/v1/projects/${other.projectId}/events/export`;
      const headers = { Authorization: other.bearer };
      let rows = 0;
      watchReads((found) => (rows += found.length));
      const seen = new Set<number>();
      await new Promise<void>((resolve, reject) => {
        const request = httpRequest(url, { method: 'POST', headers }, (response) => {
          let rest = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) seen.add((JSON.parse(line) as { properties: { n: number } }).properties.n);
          });
          response.on('end', resolve).on('error', reject);
        });
        request.on('error', reject).end();
      });
      expect([seen.size, rows]).toEqual([3000, 3000]);
      rows = 0;

      // Four clients that read nothing: the exports wait for them, and a fifth is refused.
      const begun = () =>
        new Promise<[ClientRequest, number | undefined]>((resolve, reject) => {
          const request = httpRequest(url, { method: 'POST', headers }, (response) => {
            response.pause();
            resolve([request, response.statusCode]);
          });
          request.on('error', reject).end();
        });
      // One that is over makes room a moment after its client has left, or has all of it.
      const beginAndStandStill = async (): Promise<ClientRequest> => {
        for (;;) {
          const [request, status] = await begun();
          if (status !== 429) {
            expect(status).toBe(200);
            return request;
          }
          request.on('error', () => undefined).destroy();
          await pause(20);
        }
      };
      const still = await Promise.all(Array.from({ length: 4 }, beginAndStandStill));
      // Asked only now: had it taken the place of one of the four, that one would have been refused.
      const fifth = () =>
        app
          .request()
          .post(`/v1/projects/${other.projectId}/events/export`)
          .set(headers)
          .send({ range: '15m', severity: 'x' });
      const until = async (status: number): Promise<void> => {
        while ((await fifth()).status !== status) await pause(5);
      };
      const refused = await fifth().expect(429, { detail: 'Too many exports at once' });
      expect(refused.headers['retry-after']).toBe('10');
      for (let known = -1; known !== rows; await pause(300)) known = rows;
      // What fits into the buffers of four sockets is a part of the 60 MB that each would take.
      expect(rows).toBeLessThan(4 * 1500);
      for (const request of still) request.on('error', () => undefined).destroy();
      await until(200);
      expect(rows).toBeLessThan(4 * 1500);

      // Whoever never reads on is let go and makes room.
      const limits = app.nest.get(ExportLimits, { strict: false });
      const { stalledMs, askAgainMs } = limits;
      limits.stalledMs = 3_000;
      const stalled = await Promise.all(Array.from({ length: 4 }, beginAndStandStill));
      for (const request of stalled) request.on('error', () => undefined);
      await until(200);
      limits.stalledMs = stalledMs;

      // Whoever loses the project on the way is cut off.
      limits.askAgainMs = 0;
      const outsider = await addMember(app, other, 'viewer');
      const outcome = await new Promise<string>((resolve) => {
        const leave = { method: 'POST', headers: { Authorization: outsider.bearer } };
        httpRequest(url, leave, (response) => {
          response.once('data', () => {
            response.pause();
            void app
              .rows('DELETE FROM organization_members WHERE user_id = $1', [outsider.id])
              .then(() => response.resume());
          });
          response.on('end', () => resolve('ended')).on('error', (error) => resolve(error.message));
        }).end();
      });
      limits.askAgainMs = askAgainMs;
      expect(outcome).toBe('aborted');
    });

    it('holds little when large events follow small ones', async () => {
      const other = await ownerWithProject(app);
      await app.rows(
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status,
                             log_latency_ms, created_at)
         SELECT $1, now() - n * interval '1 second', gen_random_uuid(), 'e', 's',
                CASE WHEN n % 500 = 450 THEN jsonb_build_object('filler', repeat('x', 3000000))
                     WHEN n > 300 AND n < 360 THEN jsonb_build_object('filler', repeat('x', 300000))
                     ELSE '{}' END, 'GET', '/', 200, 0, now()
         FROM generate_series(1, 1000) n`,
        [other.projectId],
      );
      await countEvents(app);
      const reads: { count: number; bytes: number }[] = [];
      watchReads((found) => {
        const bytes = found.reduce((sum, { properties }) => sum + properties.length, 0);
        reads.push({ count: found.length, bytes });
      });
      const answer = await app
        .request()
        .post(`/v1/projects/${other.projectId}/events/export`)
        .set('Authorization', other.bearer)
        .buffer(true)
        .parse((response, done) => {
          let lines = 0;
          response.on('data', (chunk: Buffer) => (lines += chunk.filter((byte) => byte === 10).length));
          response.on('end', () => done(null, lines));
        });
      expect(answer.body).toBe(1000);
      expect(reads.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
      for (const { count, bytes } of reads) expect(count === 1 || bytes <= 1_048_576).toBe(true);
      expect(reads.length).toBeLessThan(40);
    });
  });
});
