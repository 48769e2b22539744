import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Owner, ownerWithProject } from '../../../support/actors.js';
import type { TestApp } from '../../../support/app.js';
import { LongReads } from '../../../../src/modules/events/long-reads/index.js';

export function describeLogSearches(service: () => TestApp): void {
  describe('a log search', () => {
    let app: TestApp;
    let owner: Owner;

    beforeAll(async () => {
      app = service();
      owner = await ownerWithProject(app);
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({
          event_type: 'http.request',
          source: 'web',
          payload: { method: 'POST', endpoint: '/orders', path: '/x' },
        })
        .expect(200);
    });

    it('returns 503 when it takes too long, makes other searches wait, and leaves connections to other requests', async () => {
      const owners = [owner, await ownerWithProject(app), await ownerWithProject(app)];
      const searchOf = async ({ bearer, projectId }: Owner): Promise<[number, string, string | undefined]> => {
        const { status, body, headers } = await app
          .request()
          .get('/v1/logs')
          .set('Authorization', bearer)
          .query({ project_id: projectId, query: 'x' });
        return [status, (body as { detail: string }).detail, headers['retry-after']];
      };
      const blocker = new pg.Client({ connectionString: app.databaseUrl });
      await blocker.connect();
      const { limits } = app.nest.get(LongReads, { strict: false });
      const usual = { ...limits };
      Object.assign(limits, { shortMs: 50, timeoutMs: 1_000 });
      let answers: Awaited<ReturnType<typeof searchOf>>[];
      try {
        await blocker.query('BEGIN');
        await blocker.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
        let areAnswered = false;
        const searches = Promise.all([...owners, ...owners, ...owners].map(searchOf)).finally(
          () => (areAnswered = true),
        );
        const stuck = async (): Promise<number> =>
          (
            await app.rows<{ count: number }>(
              `SELECT count(*)::int AS count FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%events%'`,
            )
          )[0]?.count ?? 0;
        while ((await stuck()) < 2) await new Promise((resolve) => setTimeout(resolve, 10));
        // Reads that begin in a slot of short reads end by themselves.
        while ((await stuck()) > 2) await new Promise((resolve) => setTimeout(resolve, 10));
        await app.request().get('/v1/organizations').set('Authorization', owner.bearer).expect(200);
        expect(await stuck()).toBeLessThanOrEqual(2 + 3);
        expect(areAnswered).toBe(false);
        answers = await searches;
      } finally {
        await blocker.end();
        Object.assign(limits, usual);
      }
      const tooLong = [503, 'Log search took too long: choose a shorter range or a more frequent text', '5'];
      const tooMany = [503, 'Too many log searches at once', '2'];
      expect(answers.filter(([, detail]) => detail === tooLong[1])).toEqual([tooLong, tooLong]);
      expect(answers.filter(([, detail]) => detail !== tooLong[1])).toEqual(Array(7).fill(tooMany));
      await app
        .request()
        .get('/v1/logs')
        .set('Authorization', owner.bearer)
        .query({ project_id: owner.projectId, query: 'x' })
        .expect(200);
    });
  });
}
