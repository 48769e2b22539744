import { request as httpRequest } from 'node:http';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FunnelLimits } from '../../../../src/modules/events/analytics/funnel/funnel-limits.js';
import {
  ReadDeadline,
  LONG_READ_MS,
  LongReads,
  LongSnapshots,
} from '../../../../src/modules/events/long-reads/index.js';
import { Database } from '../../../../src/platform/database/database.js';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import type { TestApp } from '../../../support/app.js';
import { countEvents, insertEvents } from '../../../support/event-rows.js';
import { someEvents } from '../../../support/insight.js';
import { describeOfPostgres } from '../../../support/second-store.js';
import { lockedTable } from '../../../support/table-lock.js';

type RequestQuery = Readonly<Record<string, string | number | string[] | undefined>>;
type Json = Record<string, unknown>;

const HOUR_MS = 3_600_000;

export function describeAnalytics(service: () => TestApp): void {
  describe('Analytics in a process of its own', () => {
    let app: TestApp;
    let owner: Owner;
    /** The number of log lines before these tests. */
    let logged: number;
    const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

    const ask = (operation: string, asked: RequestQuery, bearer = owner.bearer) => {
      const query = new URLSearchParams();
      const all: RequestQuery = { project_id: owner.projectId, ...asked };
      for (const [name, value] of Object.entries(all)) {
        for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
      }
      return app.request().get(`/v1/analytics/${operation}?${query.toString()}`).set('Authorization', bearer);
    };
    const answer = async (operation: string, asked: RequestQuery): Promise<Json> => {
      const { status, body } = await ask(operation, asked);
      expect([operation, asked, status, status === 200 ? null : (body as unknown)]).toEqual([
        operation,
        asked,
        200,
        null,
      ]);
      return body as Json;
    };

    beforeAll(async () => {
      app = service();
      logged = app.logLines.length;
      owner = await ownerWithProject(app);
      await insertEvents(app, owner.projectId, fc.sample(someEvents(end), { numRuns: 700, seed: 11 }));
      await countEvents(app);
      // Data that the process reads only once is read here, before the tests count statements.
      await answer('overview', { range: 'all' });
    });

    describe('a funnel with too many values', () => {
      it('returns 503 until its limit is raised', async () => {
        const limits = app.nest.get(FunnelLimits);
        limits.values = 3;
        const { body } = await ask('funnel', { step: ['a', 'b'], by: 'properties.plan', range: 'all' }).expect(503);
        expect(body).toEqual({ detail: 'Funnel has too many values: choose a shorter range or a narrower filter' });
        Object.assign(limits, new FunnelLimits());
        await answer('funnel', { step: ['a', 'b'], by: 'properties.plan', range: 'all' });
      });
    });

    describeOfPostgres('a read that takes long', () => {
      const snapshots = (): LongSnapshots => app.nest.get(LongSnapshots);
      const slots = (): LongReads => app.nest.get(LongReads);
      let { limits } = new LongReads();
      beforeAll(() => {
        limits = { ...slots().limits };
      });
      afterEach(() => {
        jest.restoreAllMocks();
        snapshots().milliseconds = LONG_READ_MS;
        Object.assign(slots().limits, limits);
      });
      const LONG: Readonly<Record<string, RequestQuery>> = {
        overview: { where: 'event == "a"' },
        timeseries: { interval: 'minute', range: '1h' },
        breakdown: { by: 'properties.plan', where: 'length(event) + 1 == 2' },
        funnel: { by: 'properties.plan', step: ['a', 'b'] },
      };

      /** Questions that the counts of hours answer, except for the events of this hour. */
      const COUNTED: Readonly<Record<string, RequestQuery>> = {
        overview: { range: '30d' },
        timeseries: { range: '30d', interval: 'hour', split_by: 'event', compare: 'previous' },
        breakdown: { range: '30d', by: 'event' },
      };

      it('ends after its time, and waits for a slot for a while', async () => {
        snapshots().milliseconds = 4_000;
        slots().limits.timeoutMs = 500;
        await lockedTable(app, 'events', async () => {
          const answers = await Promise.all([ask('overview', LONG.overview!), ask('funnel', LONG.funnel!)]);
          const told = answers.map(({ status, body, headers }) => [
            status,
            (body as { detail: string }).detail,
            headers['retry-after'],
          ]);
          expect(told).toContainEqual([503, 'Query took too long: choose a shorter range or a narrower filter', '5']);
          expect(told).toContainEqual([503, 'Too many queries at once', '2']);
        });
        await answer('overview', LONG.overview!);
      });

      it.each([
        '/v1/logs?project_id={project}',
        '/v1/events?project_id={project}',
        '/v1/projects/{project}/events?',
        '/v1/projects/{project}/events/facets?',
      ])('ends after its time in the list %s with a condition', async (path) => {
        snapshots().milliseconds = 50;
        const url = `${path.replace('{project}', owner.projectId)}&where=${encodeURIComponent('length(event) == 1')}`;
        await lockedTable(app, 'events', async () => {
          await app.request().get(url).set('Authorization', owner.bearer).expect(503, {
            detail: 'Query took too long: choose a shorter range or a narrower filter',
          });
        });
      });

      it.each(Object.keys(COUNTED))('is not begun again where counting %s has a free slot', async (operation) => {
        const begun = jest.spyOn(app.nest.get(Database), 'snapshot');
        slots().limits.shortMs = 1;
        await lockedTable(app, 'events', async (lock) => {
          const asked = answer(operation, COUNTED[operation]!);
          await lock.until('waited for');
          await lock.release();
          await asked;
        });
        expect(begun).toHaveBeenCalledTimes(1);
        snapshots().milliseconds = 50;
        await lockedTable(app, 'events', async () => {
          await ask(operation, COUNTED[operation]!).expect(503, {
            detail: 'Query took too long: choose a shorter range or a narrower filter',
          });
        });
      });

      it.each(Object.keys(COUNTED))(
        'waits for a slot where counting %s takes long while others are read',
        async (operation) => {
          const known = await answer(operation, COUNTED[operation]!);
          let release: () => void = () => undefined;
          const busy = slots().run(owner, () => new Promise<void>((done) => (release = done)));
          // A quick question does not wait for a slot.
          slots().limits.shortMs = 60_000;
          await answer(operation, COUNTED[operation]!);
          slots().limits.shortMs = 20;
          const begun = jest.spyOn(app.nest.get(Database), 'snapshot');
          await lockedTable(app, 'events', async (lock) => {
            const asked = answer(operation, COUNTED[operation]!);
            while (begun.mock.calls.length === 0) await new Promise(setImmediate);
            await lock.until('left alone');
            await expect(begun.mock.results[0]?.value).rejects.toThrow();
            release();
            await busy;
            await lock.release();
            expect(Object.keys(await asked)).toEqual(Object.keys(known));
          });
          expect(begun).toHaveBeenCalledTimes(2);
        },
      );

      it('lets other requests run in between, as often as its conditions are work', async () => {
        snapshots().milliseconds = 60_000;
        const at = new Date(end - 60_000);
        const large = { timestamp: at, event: 'large', message: 'ab'.repeat(2_048) };
        const other = await ownerWithProject(app);
        const rows = Array.from({ length: 100 }, () => large);
        await insertEvents(app, other.projectId, rows);
        const patterns = Array.from({ length: 28 }, (_, number) => `"(a|b|${'c'.repeat(30)}x?)*z${number}"`);
        const spent = jest.spyOn(ReadDeadline.prototype, 'spend');
        let isAnswered = false;
        const slots: number[] = [0];
        const others = (): void => {
          slots.push(spent.mock.calls.length);
          if (!isAnswered) setImmediate(others);
        };
        others();
        const asked: RequestQuery = { project_id: other.projectId, where: `message regex (${patterns.join(', ')})` };
        const { status, body } = await ask('overview', { range: '24h', ...asked }, other.bearer);
        isAnswered = true;
        expect([status, (body as Json).totals]).toEqual([200, expect.objectContaining({ events: 0 })]);
        const steps = (from: number, to?: number): number =>
          spent.mock.calls.slice(from, to).reduce((sum, [of]) => sum + of, 0);
        const ofEvent = steps(0) / rows.length;
        expect(ofEvent).toBeGreaterThan(100_000);
        const most = slots.reduce((sum, from, index) => Math.max(sum, steps(from, slots[index + 1])), 0);
        expect(most).toBeLessThanOrEqual(1_000_000 + ofEvent);
      });

      it.each([...Object.entries(LONG), ...Object.entries(COUNTED)])(
        'leaves no statement of %s %j behind when its request is closed',
        async (operation, asked) => {
          slots().limits.shortMs = 60_000;
          snapshots().milliseconds = 60_000;
          await lockedTable(app, 'events', async (lock) => {
            const query = new URLSearchParams();
            for (const [name, value] of Object.entries({ project_id: owner.projectId, ...asked }))
              for (const one of [value].flat()) query.append(name, String(one));
            const request = httpRequest(`${app.url}/v1/analytics/${operation}?${query.toString()}`, {
              headers: { Authorization: owner.bearer },
            });
            request.on('error', () => undefined);
            request.end();
            await lock.until('waited for');
            request.destroy();
            await lock.until('left alone');
          });
          // Its slot is free again.
          await answer(operation, asked);
          expect(app.logLines.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([]);
        },
      );
    });
  });
}
