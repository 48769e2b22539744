import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clickHouseFilter, filterSql, storedFilter } from '../../../src/modules/events/conditions/index.js';
import { OTHER_PROPERTIES } from '../../../src/modules/events/fields/index.js';
import { StatementValues } from '../../../src/platform/clickhouse/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type ClickHouseAccess, type EventStore, eventStore, testClickHouse } from '../../support/clickhouse.js';
import { allReplicated } from '../../support/replication.js';
import { insertEvents } from '../../support/event-rows.js';
import { event, filter } from '../../support/filters.js';
import { tenant } from '../../support/ingestion.js';

const clickHouse = await testClickHouse();

function tests(access: ClickHouseAccess): void {
  describe('a filter in ClickHouse', () => {
    const EVENTS = 300;
    let app: TestApp;
    let store: EventStore;
    let projectId: string;

    beforeAll(async () => {
      store = await eventStore(access);
      app = await createTestApp({ env: { ...store.env, EVENT_STORE: 'clickhouse' } });
      ({ projectId } = await tenant(app));
      const timestamp = new Date('2026-03-01T12:00:00.000Z');
      const written = fc.sample(event, { numRuns: EVENTS, seed: 20_260_302 });
      await insertEvents(
        app,
        projectId,
        written.map((one) => ({ ...one, timestamp })),
      );
      await allReplicated(app);
    });
    afterAll(async () => {
      await app.close();
      await store.drop();
    });

    it('matches every event that PostgreSQL matches, and no other event when it is exact', async () => {
      let [asked, taken, matching, exact] = [0, 0, 0, 0];
      await fc.assert(
        fc.asyncProperty(filter, async (written) => {
          const node = storedFilter(written);
          const parameters: unknown[] = [projectId];
          const condition = filterSql(node, (given) => `$${parameters.push(given)}`);
          const fits = await app.rows<{ id: string }>(
            `SELECT e.id FROM events e WHERE e.project_id = $1 AND ${condition} ORDER BY e.id`,
            parameters,
          );
          const statement = new StatementValues();
          const { sql, isExact } = clickHouseFilter(node, statement.bind);
          const clickHouse = await store.server.rows<{ id: string }>(
            `SELECT toString(e.id) AS id FROM (SELECT *, ${OTHER_PROPERTIES} AS other_properties
               FROM \`${store.server.database}\`.events) AS e WHERE ${sql} ORDER BY UUIDToNum(e.id)`,
            statement.values,
          );
          const ids = new Set(clickHouse.map(({ id }) => id));
          expect(fits.filter(({ id }) => !ids.has(id))).toEqual([]);
          if (isExact) expect(clickHouse).toEqual(fits);
          asked += EVENTS;
          taken += clickHouse.length;
          matching += fits.length;
          exact += isExact ? 1 : 0;
        }),
        { numRuns: 300 },
      );
      expect(exact).toBeGreaterThan(0);
      // What they leave out is most of what does not fit.
      expect(taken - matching).toBeLessThan((asked - matching) / 2);
    });
  });
}

if ('absent' in clickHouse) it.skip(`needs ClickHouse for the tests of filters: ${clickHouse.absent}`, () => undefined);
else tests(clickHouse);
