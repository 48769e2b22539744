import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { addEventField, dropEventField } from '../../../migrations/add-event-field.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  type Answer,
  expectTrueCounters,
  INGEST_MODES,
  Sender,
  statusesOf,
  tenant,
  type Tenant,
} from '../../support/ingestion.js';
import { startTcpGate } from '../../support/fixtures/tcp-gate.js';
import { createTestDatabase } from '../../support/postgres.js';
import { eventually } from '../../support/service-process.js';

const EVENT = { event_type: 'order.paid', source: 'shop' };

describe.each(INGEST_MODES.filter((mode) => mode !== 'queued'))('faults of the database in mode %s', (mode) => {
  let app: TestApp;
  let sender: Sender;
  let of: Tenant;

  beforeAll(async () => {
    // No worker: the jobs of its start lock partitions in another order than a test does that changes the table.
    app = await createTestApp({ env: { INGEST_MODE: mode, PROCESS_ROLE: 'api' } });
    sender = new Sender(app.url);
    of = await tenant(app, { plan: 'enterprise' });
  });
  afterAll(async () => {
    sender.close();
    await app.close();
  });

  const externalIds = async (): Promise<(string | null)[]> =>
    (await app.rows<{ id: string | null }>('SELECT external_event_id AS id FROM events ORDER BY 1')).map(
      ({ id }) => id,
    );
  const endConnections = (): Promise<unknown> =>
    app.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'service-ingest'`,
    );

  it('lets a row that cannot be stored fail alone', async () => {
    await app.rows(`
      CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.message = 'poison' THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`);
    await app.rows('CREATE TRIGGER poison BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse_poison()');
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        sender.ingest(
          of.apiKey,
          { ...EVENT, event_id: `n-${index}`, message: index % 17 === 3 ? 'poison' : 'fine' },
          index % 2 === 0 ? { 'Idempotency-Key': `n-${index}` } : {},
        ),
      ),
    );
    expect(statusesOf(answers)).toEqual({ 200: 37, 500: 3 });
    expect(answers.find(({ status }) => status === 500)?.body).toEqual({ detail: 'Internal Server Error' });
    expect(await externalIds()).toHaveLength(37);
    await app.rows('DROP TRIGGER poison ON events');
    // The key of a request that failed is free.
    expect((await sender.ingest(of.apiKey, { ...EVENT, event_id: 'n-20' }, { 'Idempotency-Key': 'n-20' })).status).toBe(
      200,
    );
    await expectTrueCounters(app);
  });

  it('writes every request once while its connections are ended again and again', async () => {
    const before = await externalIds();
    const answers: Answer[] = [];
    const send = async (number: number, turn: number): Promise<Answer> => {
      const event = { ...EVENT, event_id: `c-${number}-${turn}` };
      const answer = await (number % 4 === 0
        ? sender.lines(of.apiKey, [event, { ...event, event_id: `l-${number}-${turn}` }])
        : sender.ingest(of.apiKey, event, number % 2 === 0 ? { 'Idempotency-Key': event.event_id } : {}));
      // Overloaded means that nothing was written, so it may come again.
      return answer.status === 503 ? send(number, turn) : answer;
    };
    const client = async (number: number): Promise<void> => {
      for (let turn = 0; turn < 12; turn += 1) {
        answers.push(await send(number, turn));
        // While others are under way, and so that there is always some progress.
        if (answers.length % 7 === 0) await endConnections();
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, number) => client(number)));
    expect(statusesOf(answers)).toEqual({ 200: 32 * 12 });
    expect(answers.filter(({ body }) => body.duplicate === true)).toEqual([]);
    const ids = await externalIds();
    expect(new Set(ids).size).toBe(ids.length - (before.length - new Set(before).size));
    expect(ids).toHaveLength(before.length + 32 * 12 + 8 * 12);
    await expectTrueCounters(app);
  });

  it('waits for a lock, also when its connection dies meanwhile', async () => {
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM organization_months WHERE organization_id = $1 FOR UPDATE', [of.organizationId]);
    const waiting = (): Promise<{ count: number }[]> =>
      app.rows(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'service-ingest' AND wait_event_type = 'Lock'`,
      );
    const answer = sender.ingest(of.apiKey, { ...EVENT, event_id: 'waited' });
    await eventually(waiting, ([row]) => row?.count === 1);
    await endConnections();
    await eventually(waiting, ([row]) => row?.count === 1);
    await other.query('COMMIT');
    await other.end();
    expect((await answer).status).toBe(200);
    expect((await externalIds()).filter((id) => id === 'waited')).toHaveLength(1);
  });

  it('stores events without metering them while there is no usage table', async () => {
    const unmetered = await tenant(app);
    await app.rows('ALTER TABLE usage_daily RENAME TO usage_elsewhere');
    expect((await sender.ingest(unmetered.apiKey, EVENT)).status).toBe(200);
    await app.rows('ALTER TABLE usage_elsewhere RENAME TO usage_daily');
    // Requests are counted by and by, and have a row as soon as there is a table again.
    expect(
      await app.rows('SELECT 1 FROM usage_daily WHERE project_id = $1 AND events_ingested > 0', [unmetered.projectId]),
    ).toEqual([]);
    expect(
      await app.rows('SELECT events::int FROM organization_months WHERE organization_id = $1', [
        unmetered.organizationId,
      ]),
    ).toEqual([{ events: 1 }]);
    await app.rows(
      `INSERT INTO usage_daily (day, project_id, api_key_id, events_ingested)
       VALUES ((now() AT TIME ZONE 'UTC')::date, $1, $2, 1)
       ON CONFLICT ON CONSTRAINT uq_usage_daily_identity DO UPDATE SET events_ingested = 1`,
      [unmetered.projectId, unmetered.apiKeyId],
    );
    expect((await sender.ingest(unmetered.apiKey, EVENT)).status).toBe(200);
    await expectTrueCounters(app);
  });

  it('refuses what it cannot write because another table is missing, and goes on when it is back', async () => {
    await app.rows('ALTER TABLE event_hours RENAME TO hours_elsewhere');
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(500);
    await app.rows('ALTER TABLE hours_elsewhere RENAME TO event_hours');
    expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
    await expectTrueCounters(app);
  });

  it('stores every event while a migration gives events another field, and takes it away', async () => {
    const others = await tenant(app, { plan: 'enterprise' });
    const answers: Answer[] = [];
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) answers.push(await sender.ingest(others.apiKey, EVENT));
    };
    const progress = (): Promise<number> => {
      const before = answers.length;
      return eventually(
        () => Promise.resolve(answers.length),
        (now) => now >= before + 10,
      );
    };
    const migrate = async (change: (q: QueryRunner) => Promise<void>): Promise<void> => {
      const own = await new DataSource({ type: 'postgres', url: app.databaseUrl }).initialize();
      const q = own.createQueryRunner();
      await q.startTransaction();
      await change(q);
      await q.commitTransaction();
      await own.destroy();
    };
    const clients = Array.from({ length: 8 }, client);
    await progress();
    await migrate((q) => addEventField(q, 'region', 'text'));
    await progress();
    expect(await app.rows('SELECT DISTINCT region FROM events WHERE project_id = $1', [others.projectId])).toEqual([
      { region: null },
    ]);
    await migrate((q) => dropEventField(q, 'region'));
    await progress();
    isOver = true;
    await Promise.all(clients);
    expect(statusesOf(answers)).toEqual({ 200: answers.length });
    expect(
      await app.rows('SELECT count(*)::int AS count FROM events WHERE project_id = $1', [others.projectId]),
    ).toEqual([{ count: answers.length }]);
    await expectTrueCounters(app);
  });

  it('keeps events in order for the followers of a project', async () => {
    const [watched, other] = [await tenant(app, { plan: 'enterprise' }), await tenant(app, { plan: 'enterprise' })];
    await app.rows('INSERT INTO event_watches (project_id) VALUES ($1)', [watched.projectId]);
    await Promise.all([
      ...Array.from({ length: 20 }, () => sender.ingest(watched.apiKey, EVENT)),
      sender.lines(watched.apiKey, [EVENT, EVENT, '{}']),
      sender.ingest(other.apiKey, EVENT),
    ]);
    const outbox = await app.rows<{ project_id: string; ids: string[] }>(
      'SELECT project_id, event_ids AS ids FROM event_outbox ORDER BY position',
    );
    expect(new Set(outbox.map(({ project_id: id }) => id))).toEqual(new Set([watched.projectId]));
    const stored = await app.rows<{ id: string }>('SELECT id FROM events WHERE project_id = $1', [watched.projectId]);
    expect(outbox.flatMap(({ ids }) => ids).sort()).toEqual(stored.map(({ id }) => id).sort());
    expect(stored).toHaveLength(22);
  });
});

it.each(INGEST_MODES.filter((mode) => mode !== 'queued'))(
  'tells truly what became of a request whose connection was cut while it waited, in mode %s',
  async (mode) => {
    const database = await createTestDatabase();
    const gate = await startTcpGate(database.url);
    const app = await createTestApp({ env: { INGEST_MODE: mode }, databaseUrl: gate.url });
    const sender = new Sender(app.url);
    const direct = new pg.Client({ connectionString: database.url });
    await direct.connect();
    const rows = async <Row>(sql: string, parameters?: unknown[]): Promise<Row[]> =>
      (await direct.query(sql, parameters)).rows as Row[];
    try {
      const of = await tenant({ rows });
      expect((await sender.ingest(of.apiKey, EVENT)).status).toBe(200);
      // The last one of the month: whoever writes it first takes the allowance of the other.
      await rows('UPDATE organizations SET events_per_month_limit = 2 WHERE id = $1', [of.organizationId]);
      await rows('BEGIN');
      await rows('SELECT FROM organization_months WHERE organization_id = $1 FOR UPDATE', [of.organizationId]);
      const waiting = async (): Promise<number[]> => {
        // A transaction sees the activity of its first look again.
        await rows('SELECT pg_stat_clear_snapshot()');
        const found = await rows<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'service-ingest' AND wait_event_type = 'Lock'`,
        );
        return found.map(({ pid }) => pid);
      };
      const answer = sender.ingest(of.apiKey, { ...EVENT, event_id: 'cut' });
      const [first] = await eventually(waiting, ({ length }) => length === 1);
      // The server learns nothing of it while it waits.
      await gate.shut();
      await gate.open();
      await eventually(waiting, (pids) => pids.length === 1 && pids[0] !== first);
      await rows('COMMIT');
      expect((await answer).status).toBe(200);
      expect(await rows(`SELECT FROM events WHERE external_event_id = 'cut'`)).toHaveLength(1);
      await expectTrueCounters({ rows });
    } finally {
      sender.close();
      await app.close();
      await direct.end();
      await gate.shut();
      await database.drop();
    }
  },
);
