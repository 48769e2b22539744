import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { INGEST_MODES, modeEnv, Sender } from '../../support/ingestion.js';
import { eventually } from '../../support/service-process.js';
import { createSource, setPlan } from '../../support/sources.js';

const EVENT = { event_type: 'order.paid', source: 'shop' };
const HAS_EVENTS = { detail: 'Event source has ingested events and cannot be deleted. Disable the source instead.' };

describe.each(INGEST_MODES.filter((mode) => mode !== 'queued'))(
  'the deletion of an Event Source while its first event arrives in mode %s',
  (mode) => {
    let app: TestApp;
    /** Another instance. It hears of the deletion a little later. */
    let other: TestApp;
    let sender: Sender;
    let owner: Owner;

    beforeAll(async () => {
      app = await createApiApp({ env: modeEnv(mode) });
      other = await createApiApp({ env: modeEnv(mode), databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      sender = new Sender(other.url);
      owner = await ownerWithProject(app);
      await setPlan(app, owner, 'enterprise');
    });
    afterAll(async () => {
      sender.close();
      await other.close();
      await app.close();
    });

    const remove = async (id: string): Promise<{ status: number; body: unknown }> =>
      app.request().delete(`/v1/ingest-sources/${id}`).set('Authorization', owner.bearer);
    const test = async (id: string): Promise<{ status: number; body: unknown }> =>
      app.request().post(`/v1/ingest-sources/${id}/test`).set('Authorization', owner.bearer);
    const dangling = (): Promise<object[]> =>
      app.rows(
        `SELECT FROM events e WHERE e.source_id IS NOT NULL
         AND NOT EXISTS (SELECT FROM event_sources s WHERE s.id = e.source_id)`,
      );
    const sourcesOf = async (apiKeyId: string): Promise<(string | null)[]> =>
      (
        await app.rows<{ source_id: string | null }>('SELECT source_id FROM events WHERE api_key_id = $1', [apiKeyId])
      ).map(({ source_id }) => source_id);

    const held = async (work: (holder: pg.Client) => Promise<void>): Promise<void> => {
      const holder = new pg.Client({ connectionString: app.databaseUrl });
      await holder.connect();
      try {
        await holder.query('BEGIN');
        await work(holder);
      } finally {
        await holder.end();
      }
    };
    const waits = (query: string): Promise<unknown> =>
      eventually(
        () =>
          app.rows<object>(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
            [`%${query}%`],
          ),
        ({ length }) => length > 0,
      );

    it('waits for an event that is being stored and is then refused', async () => {
      const { id, key } = await createSource(app, owner);
      // The first event creates the row of the month, which is locked below.
      expect((await sender.ingest(owner.apiKey, EVENT)).status).toBe(200);
      await held(async (holder) => {
        await holder.query('SELECT FROM organization_months WHERE organization_id = $1 FOR UPDATE', [
          owner.organizationId,
        ]);
        const answer = sender.ingest(key.key, EVENT);
        await waits('ingest_events');
        const removal = remove(id);
        await waits('organizations');
        await holder.query('COMMIT');
        expect((await answer).status).toBe(200);
        expect(await removal).toMatchObject({ status: 409, body: HAS_EVENTS });
      });
      expect(await sourcesOf(key.id)).toEqual([id]);
    });

    it('delays an event of the source, which is then refused alone and leaves its idempotency key free', async () => {
      const { id, key } = await createSource(app, owner);
      const neighbour = await createSource(app, owner);
      // The instance caches the key, as one does that has not heard of the deletion yet.
      await sender.ingest(key.key, 'no event');
      await held(async (holder) => {
        await holder.query('DELETE FROM event_sources WHERE id = $1', [id]);
        const answers = [
          sender.ingest(key.key, EVENT, { 'Idempotency-Key': 'gone' }),
          sender.ingest(neighbour.key.key, EVENT),
          test(id),
        ];
        await waits('ingest_events');
        await holder.query('COMMIT');
        expect(await Promise.all(answers)).toMatchObject([
          { status: 401, body: { detail: 'Invalid API key' } },
          { status: 200 },
          { status: 404, body: { detail: 'Event source not found' } },
        ]);
      });
      expect(await sourcesOf(key.id)).toEqual([]);
      expect(await app.rows('SELECT FROM idempotency_records WHERE api_key_id = $1', [key.id])).toEqual([]);
      expect(await dangling()).toEqual([]);
    });

    it('does not delay an event of a source that already has an event of the day', async () => {
      const { id, key } = await createSource(app, owner);
      expect((await sender.ingest(key.key, EVENT)).status).toBe(200);
      await held(async (holder) => {
        await holder.query('SELECT FROM event_sources WHERE id = $1 FOR UPDATE', [id]);
        expect((await sender.ingest(key.key, EVENT)).status).toBe(200);
        await holder.query('COMMIT');
      });
    });
  },
);
