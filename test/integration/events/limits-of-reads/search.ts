import { request as httpRequest } from 'node:http';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { EventSearchReader } from '../../../../src/modules/events/event-store/search/event-search.reader.js';
import { SearchLimits } from '../../../../src/modules/events/search/search-limits.js';
import { LongReads } from '../../../../src/modules/events/long-reads/index.js';
import { readWords, searchSql } from '../../../../src/modules/tenancy/search-sources/index.js';
import { Database } from '../../../../src/platform/database/database.js';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import type { TestApp } from '../../../support/app.js';
import { haveTime } from '../../../support/both-stores.js';
import { countEvents, type EventRow, insertEvents } from '../../../support/event-rows.js';
import { lockedTable } from '../../../support/table-lock.js';
import { itOfPostgres } from '../../../support/second-store.js';

interface Answer {
  readonly items: { readonly id: string; readonly subtitle: string | null }[];
  readonly counts: Record<string, number>;
  readonly is_partial: boolean;
}

const DAY_MS = 86_400_000;
const ago = (ms: number): Date => new Date(Date.now() - ms);

export function describeSearch(service: () => TestApp): void {
  describe('A search of one process', () => {
    let app: TestApp;
    let project: Owner;

    const find = (query: object, who: Owner = project) =>
      app
        .request()
        .get('/v1/search')
        .query({ project_id: who.projectId, ...query })
        .set('Authorization', who.bearer);
    const put = async (rows: readonly EventRow[]): Promise<string[]> => {
      const ids = await insertEvents(app, project.projectId, rows);
      await countEvents(app);
      return ids;
    };
    const seek = async (q: string, more: object = {}): Promise<Answer> =>
      (await find({ q, ...more }).expect(200)).body as Answer;
    const limits = (): SearchLimits => app.nest.get(SearchLimits, { strict: false });
    const beUsual = (): void => {
      Object.assign(limits(), new SearchLimits());
      haveTime(app);
    };

    beforeAll(async () => {
      app = service();
      haveTime(app);
      project = await ownerWithProject(app);
      await put([
        { timestamp: ago(5 * DAY_MS), event: 'rare', message: 'heron' },
        ...Array.from({ length: 120 }, (_, at) => ({
          timestamp: ago(at * 1_000),
          event: 'heron.many',
          message: `number ${at}`,
        })),
        { timestamp: ago(3 * DAY_MS), event: 'rare', message: 'a heron' },
      ]);
    });
    afterEach(() => {
      jest.restoreAllMocks();
      beUsual();
    });

    it('can find objects by the index on their keys', async () => {
      const client = new pg.Client({ connectionString: app.databaseUrl });
      await client.connect();
      try {
        for (const way of ['seqscan', 'indexscan', 'indexonlyscan']) await client.query(`SET enable_${way} = off`);
        const { fits } = searchSql({ id: 'id::text', texts: ['key'] }, readWords('kestrel'), () => `'%kestrel%'`);
        const { rows } = await client.query<Record<string, string>>(`EXPLAIN SELECT FROM stored_objects WHERE ${fits}`);
        expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('ix_stored_objects_key_text');
      } finally {
        await client.end();
      }
    });

    it('finds events that fit as well as those of an index and are newer', async () => {
      const other = await ownerWithProject(app);
      const named = Array.from({ length: 60 }, (_, at) => ({ timestamp: ago(4 * DAY_MS + at), event: 'bittern' }));
      const told = Array.from({ length: 200 }, (_, at) => ({
        timestamp: ago(3_600_000 + at * 1_000),
        message: at % 20 === 19 ? 'Bittern' : 'nothing',
      }));
      await insertEvents(app, other.projectId, [...named, ...told]);
      await countEvents(app);
      limits().firstRows = 50;
      const { body } = await find({ q: 'bittern', type: 'event', limit: 50 }, other).expect(200);
      const { items, is_partial } = body as Answer;
      expect(is_partial).toBe(false);
      expect(items.slice(0, 10).map(({ subtitle }) => subtitle)).toEqual(Array(10).fill('Bittern'));
    });

    itOfPostgres('is partial when its time is over, with the newest events and every event type', async () => {
      limits().firstRows = 5;
      const repository = app.nest.get(EventSearchReader, { strict: false });
      const best = repository.best.bind(repository);
      let stretches = 0;
      jest.spyOn(repository, 'best').mockImplementation(async (scope, asked, stretch, limit, tx) => {
        stretches += 1;
        if (stretches > 1) {
          await app.nest.get(Database).limit(tx, 1);
          await app.nest.get(Database).execute('SELECT pg_sleep(600)', [], tx);
        }
        return best(scope, asked, stretch, limit, tx);
      });
      const [newest] = await put([{ timestamp: ago(0), event: 'other', message: 'heron at last' }]);
      const found = await seek('heron', { limit: 50 });
      expect(found).toMatchObject({ is_partial: true, counts: { event_type: 1 } });
      // Events that the index finds are read before all others.
      expect(found.items.map(({ id }) => id)).toEqual(expect.arrayContaining([newest]));
      expect(found.items.map(({ subtitle }) => subtitle)).toContain('number 20');
      expect(found.items.map(({ subtitle }) => subtitle)).not.toContain('a heron');
      expect((await seek('heron', { type: 'event_type' })).is_partial).toBe(false);
    });

    it('takes a slot of short reads while all slots of long reads are taken', async () => {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const other = app.nest.get(LongReads, { strict: false }).run(project, () => held);
      expect((await seek('heron', { type: ['event', 'event_type'] })).is_partial).toBe(false);
      release();
      await other;
    });

    itOfPostgres('returns 503 when no event could be read, and is partial when other things were found', async () => {
      await app
        .request()
        .post(`/v1/projects/${project.projectId}/saved-views`)
        .set('Authorization', project.bearer)
        .send({ name: 'heron', filters: {} })
        .expect(({ status }) => expect(status).toBeLessThan(300));
      const slots = app.nest.get(LongReads, { strict: false });
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const other = slots.run(project, () => held);
      const { timeoutMs } = slots.limits;
      Object.assign(slots.limits, { shortMs: 200, timeoutMs: 20 });
      try {
        await lockedTable(app, 'events', async () => {
          const { headers } = await find({ q: 'heron', type: 'event' }).expect(503, {
            detail: 'Too many queries at once',
          });
          expect(headers['retry-after']).toBe('2');
          const found = await seek('heron', { type: ['event', 'saved_view'] });
          expect(found).toMatchObject({ is_partial: true, counts: { event: 0, saved_view: 1 } });
        });
      } finally {
        slots.limits.timeoutMs = timeoutMs;
        release();
        await other;
      }
    });

    it('reads events after names, and returns 503 when the names take too long', async () => {
      limits().namesMs = 100;
      await lockedTable(app, 'saved_views', async () => {
        const { headers } = await find({ q: 'heron' }).expect(503, {
          detail: 'Query took too long: choose a shorter range or a narrower filter',
        });
        expect(headers['retry-after']).toBe('5');
        beUsual();
        await find({ q: 'heron', type: ['event', 'secret'] }).expect(200);
      });
    });

    it('takes a slot of long reads when the names take long', async () => {
      const slots = app.nest.get(LongReads, { strict: false });
      const known = await seek('heron', { type: 'saved_view' });
      let release: () => void = () => undefined;
      const other = slots.run(project, () => new Promise<void>((resolve) => (release = resolve)));
      // Long enough to be seen waiting.
      slots.limits.shortMs = 1_000;
      await lockedTable(app, 'saved_views', async (lock) => {
        const found = seek('heron', { type: 'saved_view' });
        await lock.until('waited for');
        await lock.until('left alone');
        await lock.release();
        release();
        await other;
        expect(await found).toEqual(known);
      });
    });

    it.each([
      ['events', 'event'],
      ['events', 'event_type'],
      ['saved_views', 'saved_view'],
    ])('ends its statements on the table %s for the type %s when the request is closed', async (table, type) => {
      Object.assign(limits(), { eventsMs: 600_000, namesMs: 600_000 });
      await lockedTable(app, table, async (lock) => {
        const path = `${app.url}/v1/search?project_id=${project.projectId}&q=heron&type=${type}`;
        const sent = httpRequest(path, { headers: { Authorization: project.bearer } });
        sent.on('error', () => undefined).end();
        await lock.until('waited for');
        sent.destroy();
        await lock.until('left alone');
      });
      expect((await seek('heron')).is_partial).toBe(false);
    });
  });
}
