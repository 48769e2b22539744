import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';
import {
  type ClickHouseAccess,
  type EventStore,
  eventStore,
  FaultyServer,
  testClickHouse,
} from '../support/clickhouse.js';
import { allReplicated, expectSame } from '../support/replication.js';

const clickHouse = await testClickHouse({ fetch: false });
const EVENTS = 50;

function tests(access: ClickHouseAccess): void {
  let server: FaultyServer;
  let store: EventStore;
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    server = await FaultyServer.before(access);
    store = await eventStore(access, server.url);
    app = await createTestApp({ env: { ...store.env, EVENT_STORE: 'clickhouse' } });
    owner = await ownerWithProject(app);
  });
  afterAll(async () => {
    await app.close();
    await server.goAway();
    await store.drop();
  });

  it('gets every event that was ingested, and answers a breakdown', async () => {
    const lines = Array.from({ length: EVENTS }, (_, n) =>
      JSON.stringify({ event_type: 'order.paid', source: 'shop', payload: { shop: n % 2 === 0 ? 'north' : 'south' } }),
    );
    await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .type('application/x-ndjson')
      .send(lines.join('\n'))
      .expect(200);
    await allReplicated(app);
    await expectSame(app, store);

    const reads = server.reads;
    const { body } = await app
      .request()
      .get('/v1/analytics/breakdown')
      .query({ project_id: owner.projectId, range: '24h', by: 'properties.shop' })
      .set('Authorization', owner.bearer)
      .expect(200);
    expect(JSON.stringify(body)).toContain('north');
    expect(server.reads).toBeGreaterThan(reads);
  });
}

if ('absent' in clickHouse) it.skip(`events in ClickHouse: ${clickHouse.absent}`, () => undefined);
else describe('ClickHouse', () => tests(clickHouse));
