import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertsOf } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { Sender } from '../../support/ingestion.js';
import { createTestDatabase } from '../../support/postgres.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type RuleClient, rulesOf } from '../../support/rules.js';
import { CLEAN_EXIT, eventually, type ServiceProcess, startWorker } from '../../support/service-process.js';

afterEach(cleanUp);

const BATCHES = 40;
const LINES = 50;
const GROUPS = 25;
const EVENTS = BATCHES * LINES;

/** Events are taken by an API process that matches none of them; workers are processes of their own. */
describe('workers in the middle of matching', () => {
  let app: TestApp;
  let owner: Owner;
  let rules: RuleClient;
  let sender: Sender;
  let receiver: Receiver;
  let env: Record<string, string>;
  let ruleIds: string[];

  beforeEach(async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    receiver = await startReceiver();
    cleanups.push(() => receiver.close());
    env = {
      DATA_DIR: await temporaryFolder(),
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
      DELIVERY_RETRY_POLL_SECONDS: '1',
    };
    app = await createTestApp({
      databaseUrl: database.url,
      dataDir: env.DATA_DIR,
      env: { ...env, PROCESS_ROLE: 'api' },
    });
    cleanups.push(() => app.close());
    sender = new Sender(app.url);
    cleanups.push(() => Promise.resolve(sender.close()));
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    await alertsOf(app, owner).destination(receiver.url);
    ruleIds = [
      await rules.rule({ name: 'Plain' }),
      await rules.rule({ name: 'Grouped', group_by: ['properties.shop'] }),
      await rules.rule({ name: 'Kept', keep_firing_seconds: 3_600, group_by: ['properties.shop'] }),
    ];
    // So that a transaction lasts long enough to be killed in.
    await linger(0.01);
    await app.rows(`CREATE TRIGGER linger BEFORE INSERT OR UPDATE ON alert_events
      FOR EACH ROW EXECUTE FUNCTION linger()`);
  });

  const linger = (seconds: number): Promise<unknown> =>
    app.rows(`CREATE OR REPLACE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END'`);
  const worker = (): Promise<ServiceProcess> => startWorker({ ...env, DATABASE_URL: app.databaseUrl });
  const sendAll = async (): Promise<void> => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const lines = Array.from({ length: LINES }, (_, line) => ({
        event_type: 'payment.failed',
        source: 'shop',
        payload: { shop: line % GROUPS },
      }));
      expect((await sender.lines(owner.apiKey, lines)).body.accepted).toBe(LINES);
    }
  };
  const waiting = async (): Promise<number> => {
    const [row] = await app.rows<{ count: number }>(
      'SELECT ((SELECT count(*) FROM event_outbox) + (SELECT count(*) FROM alert_rule_firings))::int AS count',
    );
    return row?.count ?? 0;
  };
  /** Waits until a worker is in the middle of a batch. */
  const inTheMiddle = (): Promise<unknown> =>
    eventually(
      () => app.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`),
      (sleeping) => sleeping.length > 0,
    );
  /** How many occurrences each alert event has, by rule. */
  const counted = async (): Promise<number[][]> => {
    const rows = await app.rows<{ alert_rule_id: string; counts: number[] }>(
      'SELECT alert_rule_id, array_agg(occurrences::int) AS counts FROM alert_events GROUP BY 1',
    );
    return ruleIds.map((id) => rows.find((row) => row.alert_rule_id === id)?.counts ?? []);
  };
  const everyEventOnce = [
    [EVENTS],
    Array.from({ length: GROUPS }, () => EVENTS / GROUPS),
    Array.from({ length: GROUPS }, () => EVENTS / GROUPS),
  ];
  /** Deliveries are made in the transaction of the match: one for each alert event, in its cooldown. */
  const noticesOnce = async (): Promise<void> => {
    const [row] = await app.rows<{ alerts: number; deliveries: number }>(
      `SELECT (SELECT count(*) FROM alert_events)::int AS alerts, (SELECT count(*) FROM alert_deliveries)::int AS deliveries`,
    );
    expect(row).toEqual({ alerts: 2 * GROUPS + 1, deliveries: 2 * GROUPS + 1 });
  };

  it('may be killed: every event counts once for every rule', async () => {
    // For so long that the later of two workers begins before the earlier one is done.
    await linger(0.1);
    const sending = sendAll();
    for (let kills = 0; kills < 3; kills += 1) {
      const [first, second] = await Promise.all([worker(), worker()]);
      await inTheMiddle();
      await Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')]);
    }
    await sending;
    expect(await waiting()).toBeGreaterThan(0);
    await linger(0);
    await Promise.all([worker(), worker()]);
    await eventually(waiting, (count) => count === 0);
    expect(await counted()).toEqual(everyEventOnce);
    await noticesOnce();
  });

  it('may be killed by an event: it is found, set aside and told of, and every other event counts', async () => {
    await app.rows('DROP TRIGGER linger ON alert_events');
    await sender.lines(
      owner.apiKey,
      Array.from({ length: 3 }, () => ({ event_type: 'payment.failed', source: 'shop', payload: { shop: 1 } })),
    );
    const [outbox] = await app.rows<{ ids: string[] }>('SELECT event_ids AS ids FROM event_outbox');
    const mark = async (): Promise<string | null | undefined> => {
      const rows = await app.rows<{ event_id: string | null }>(
        'SELECT event_id FROM event_match_marks WHERE is_evaluating',
      );
      return rows[0]?.event_id;
    };
    const setAside = async (): Promise<unknown[]> => {
      const activity = await rules.send('get', `/v1/projects/${owner.projectId}/activity`);
      const { items } = activity.body as { items: { action: string }[] };
      return items.filter(({ action }) => action === 'alert_rules.event_set_aside');
    };
    // Whoever reads the events waits: so both workers die while they ask the rules.
    const killed = async (process: ServiceProcess): Promise<void> => {
      await process.stop('SIGKILL');
      // The server's side of it would notice once it has the lock.
      await app.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    };
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    try {
      const first = await worker();
      expect(await eventually(mark, (event) => event === null)).toBeNull();
      await killed(first);
      const second = await worker();
      expect(await eventually(mark, (event) => typeof event === 'string')).toBe(outbox?.ids[0]);
      // One death may have any cause: nothing is given up for it, also not by a look at the marks.
      expect(await app.rows('SELECT event_ids AS ids FROM event_outbox')).toEqual([outbox]);
      expect(await setAside()).toEqual([]);
      await killed(second);
    } finally {
      await holder.end();
    }
    await worker();
    await eventually(waiting, (count) => count === 0);
    expect(await counted()).toEqual([[2], [2], [2]]);
    expect(await setAside()).toEqual([
      expect.objectContaining({ target_id: outbox?.ids[0], detail: { reason: 'ended_a_worker' } }),
    ]);
  });

  it('may be stopped: they end what they began, and the next ones do the rest', async () => {
    const sending = sendAll();
    const first = await worker();
    await inTheMiddle();
    expect(await first.stop()).toEqual(CLEAN_EXIT);
    await sending;
    await Promise.all([worker(), worker()]);
    await eventually(waiting, (count) => count === 0);
    expect(await counted()).toEqual(everyEventOnce);
    await noticesOnce();
  });
});
