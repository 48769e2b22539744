import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  emptyRedis,
  expectTrueCounters,
  INGEST_MODES,
  modeEnv,
  Sender,
  settled,
  statusesOf,
} from '../../support/ingestion.js';
import { createSource, setPlan } from '../../support/sources.js';

const EVENT = { event_type: 'order.paid', source: 'shop' };
const HAS_EVENTS = { detail: 'Event source has ingested events and cannot be deleted. Disable the source instead.' };

describe.each(INGEST_MODES)('deleting a source while its first event comes, in mode %s', (mode) => {
  let app: TestApp;
  /** Another instance, which learns of the deletion a little later. */
  let other: TestApp;
  let sender: Sender;
  let owner: Owner;

  beforeAll(async () => {
    if (mode === 'queued') await emptyRedis();
    app = await createTestApp({ env: modeEnv(mode) });
    other = await createTestApp({ env: modeEnv(mode), databaseUrl: app.databaseUrl, dataDir: app.dataDir });
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
  const dangling = (): Promise<object[]> =>
    app.rows(
      `SELECT FROM events e WHERE e.source_id IS NOT NULL
         AND NOT EXISTS (SELECT FROM event_sources s WHERE s.id = e.source_id)`,
    );
  const sourcesOf = async (apiKeyId: string): Promise<(string | null)[]> =>
    (
      await app.rows<{ source_id: string | null }>('SELECT source_id FROM events WHERE api_key_id = $1', [apiKeyId])
    ).map(({ source_id }) => source_id);

  it('ends with every event accepted under a source that is there, or with none', async () => {
    const ends = { deleted: 0, kept: 0 };
    for (let round = 0; round < 24; round += 1) {
      const { id, key } = await createSource(app, owner);
      const send = async (): ReturnType<Sender['ingest']> => sender.ingest(key.key, EVENT);
      // One has a lead in every other round; the rest is up to the machine.
      const late = <T>(act: () => Promise<T>): Promise<T> =>
        new Promise((resolve) => setTimeout(resolve, round % 8)).then(act);
      const [removal, ...answers] = await Promise.all([
        round % 2 === 0 ? remove(id) : late(() => remove(id)),
        ...Array.from({ length: 4 }, () => (round % 2 === 0 ? late(send) : send())),
      ]);
      await settled(mode);
      const accepted = answers.filter(({ status }) => status === 200).length;
      const sources = await sourcesOf(key.id);
      expect(sources).toHaveLength(accepted);
      if (removal.status === 204) {
        ends.deleted += 1;
        // What the queue had taken by then was promised to be stored.
        expect(sources.every((source) => source === null)).toBe(true);
        if (mode !== 'queued') expect(statusesOf(answers)).toEqual({ 401: 4 });
        else for (const { status } of answers) expect([200, 401]).toContain(status);
      } else {
        ends.kept += 1;
        expect(removal).toMatchObject({ status: 409, body: HAS_EVENTS });
        expect(statusesOf(answers)).toEqual({ 200: 4 });
        expect(new Set(sources)).toEqual(new Set([id]));
      }
    }
    expect(ends.deleted + ends.kept).toBe(24);
    expect(await dangling()).toEqual([]);
    await expectTrueCounters(app);
    for (const { logLines } of [app, other]) expect(logLines.join('')).not.toMatch(/deadlock|"level":"(error|fatal)"/);
  });
});

it('stores what the queue held of a deleted source without it', async () => {
  await emptyRedis();
  const api = await createTestApp({ env: { ...modeEnv('queued'), PROCESS_ROLE: 'api' } });
  const sender = new Sender(api.url);
  try {
    const owner = await ownerWithProject(api);
    const { id, key } = await createSource(api, owner);
    const [one] = [
      await sender.ingest(key.key, EVENT, { 'Idempotency-Key': 'one' }),
      await sender.ingest(key.key, EVENT),
    ];
    expect(one).toMatchObject({ status: 200, body: { persisted_synchronously: false } });
    await api.request().delete(`/v1/ingest-sources/${id}`).set('Authorization', owner.bearer).expect(204);
    const worker = await createTestApp({ env: modeEnv('queued'), databaseUrl: api.databaseUrl });
    await settled('queued');
    await worker.close();
    expect(await api.rows('SELECT source_id, api_key_id FROM events')).toEqual(
      Array.from({ length: 2 }, () => ({ source_id: null, api_key_id: key.id })),
    );
    await expectTrueCounters(api);
  } finally {
    sender.close();
    await api.close();
  }
});
