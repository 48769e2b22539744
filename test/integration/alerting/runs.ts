import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { RuleRunner } from '../../../src/modules/alerting/rules/engine/rule-runner.js';
import { AlertFeed } from '../../../src/modules/alerting/alerts/events/alert-feed.js';
import { HeartbeatsWriter } from '../../../src/modules/alerting/heartbeats/index.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp } from '../../support/app.js';
import { DELIVERY_ENV, type Json } from '../../support/delivery.js';
import { emptyRedis, modeEnv, Sender } from '../../support/ingestion.js';
import { evaluateRules, matchEvents, type RuleClient, rulesOf } from '../../support/rules.js';
import { eventually } from '../../support/service-process.js';
import { app } from './api-app.js';

describe('a run over the rules of all projects', () => {
  let sender: Sender;
  let owner: Owner;
  let rules: RuleClient;

  beforeAll(() => {
    sender = new Sender(app.url);
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
  });
  afterAll(() => sender.close());

  const send = async (of: Owner): Promise<void> => {
    const answer = await sender.ingest(of.apiKey, { event_type: 'payment.failed', source: 'shop' });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  const raised = (of: Owner = owner): Promise<Json[]> =>
    app.rows('SELECT occurrences::int, status FROM alert_events WHERE project_id = $1 ORDER BY created_at', [
      of.projectId,
    ]);
  it('matches the events of every project, however many events of another wait', async () => {
    const busy = await ownerWithProject(app);
    await rulesOf(app, busy).rule();
    await rules.rule();
    await app.rows(
      `INSERT INTO event_outbox (project_id, event_ids, timestamps, created_at)
       SELECT $1, '{}', '{}', now() - interval '1 hour' FROM generate_series(1, 6000)`,
      [busy.projectId],
    );
    await send(owner);
    await evaluateRules(app);
    expect(await raised()).toEqual([{ occurrences: 1, status: 'open' }]);
  });

  it('takes fewer events at a time after events took too long', async () => {
    await rules.rule();
    // A batch of more than twenty events runs out of time.
    await app.rows(
      `CREATE FUNCTION run_out_of_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.occurrences - (CASE WHEN TG_OP = 'UPDATE' THEN OLD.occurrences ELSE 0 END) > 20 THEN
           RAISE EXCEPTION 'canceling statement' USING ERRCODE = '57014';
         END IF;
         RETURN NEW; END $$`,
    );
    await app.rows(
      `CREATE TRIGGER run_out_of_time BEFORE INSERT OR UPDATE ON alert_events
       FOR EACH ROW EXECUTE FUNCTION run_out_of_time()`,
    );
    try {
      for (let at = 0; at < 60; at += 1) await send(owner);
      await matchEvents(app);
      expect(await raised()).toEqual([{ occurrences: 60, status: 'open' }]);
    } finally {
      await app.rows('DROP TRIGGER run_out_of_time ON alert_events');
      await app.rows('DROP FUNCTION run_out_of_time');
    }
  });

  /** A transaction that has brought events of a project, none in fact, and has yet to commit. */
  const writing = async (projectId: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`INSERT INTO event_outbox (project_id, event_ids, timestamps) VALUES ($1, '{}', '{}')`, [
      projectId,
    ]);
    return client;
  };

  it('does not wait for transactions of other projects, whatever they write', async () => {
    const id = await rules.rule({ keep_firing_seconds: 3_600 });
    const stranger = await ownerWithProject(app);
    const open = [await writing(stranger.projectId), await writing(newId())];
    try {
      await open[1]?.query('CREATE TABLE elsewhere (id int)');
      const [began] = await app.rows<{ at: Date }>('SELECT clock_timestamp() AS at');
      await send(owner);
      await evaluateRules(app);
      expect(await raised()).toEqual([{ occurrences: 1, status: 'open' }]);
      await app.rows(
        `UPDATE alert_rule_series SET due_at = now() - interval '2 seconds', since = since - interval '2 hours',
           breached_at = breached_at - interval '2 hours' WHERE rule_id = $1`,
        [id],
      );
      await evaluateRules(app);
      expect(await raised()).toEqual([{ occurrences: 1, status: 'resolved' }]);
      await open[1]?.query(
        `INSERT INTO alert_events (id, project_id, fingerprint, group_values, severity, message, payload, occurrences,
           cooldown_seconds, targets, created_at, changed_at, last_occurred_at)
         VALUES (gen_random_uuid(), $1, 'f', '{}', 'info', 'm', '{}', 1, 0, '{}', now(), now(), now())`,
        [stranger.projectId],
      );
      // Streams stay half a second behind what is being written, each project's for itself.
      const feed = app.nest.get(AlertFeed, { strict: false });
      const settled = async ({ projectId }: Owner): Promise<number> => (await feed.settled(projectId)).getTime() + 500;
      expect(await settled(stranger)).toBeLessThanOrEqual(began?.at.getTime() ?? 0);
      expect(await settled(owner)).toBeGreaterThan(began?.at.getTime() ?? 0);
    } finally {
      await Promise.all(open.map((client) => client.end()));
    }
  });

  it('raises many alerts for many channels in parts, with alerts of other projects in between', async () => {
    const busy = await ownerWithProject(app);
    const [RULES, CHANNELS, EVENTS] = [3, 8, 60];
    const ALERTS = RULES * EVENTS;
    const channels = await app.rows<{ id: string }>(
      `INSERT INTO delivery_channels (id, project_id, name, type, enabled, configuration)
       SELECT gen_random_uuid(), $1, 'C', 'webhook', n > 1, '{"url": "https://example.com/", "method": "POST", "headers": {}}'
       FROM generate_series(1, $2) n RETURNING id`,
      [busy.projectId, CHANNELS],
    );
    const told = { channel_ids: channels.map(({ id }) => id), group_by: ['properties.n'] };
    for (let at = 0; at < RULES; at += 1) await rulesOf(app, busy).rule({ ...told, name: `Rule ${at}` });
    await rules.rule();
    const lines = Array.from({ length: EVENTS }, (_, n) => ({
      event_type: 'payment.failed',
      source: 'shop',
      payload: { n },
    }));
    expect((await sender.lines(busy.apiKey, lines)).body.accepted).toBe(EVENTS);
    await send(owner);
    await matchEvents(app);
    const [whole] = await app.rows(
      `SELECT count(*)::int AS attempts, count(DISTINCT (event_id, rule_id))::int AS alerts,
              count(*) FILTER (WHERE retry_state = 'terminal' AND failure_code = 'channel_disabled')::int AS skipped
       FROM delivery_attempts WHERE project_id = $1`,
      [busy.projectId],
    );
    expect(whole).toEqual({ attempts: ALERTS * CHANNELS, alerts: ALERTS, skipped: ALERTS });
    // What one transaction has written has one xmin.
    const parts = await app.rows<{ attempts: number }>(
      `SELECT count(*)::int AS attempts FROM delivery_attempts WHERE project_id = $1 GROUP BY xmin::text`,
      [busy.projectId],
    );
    for (const { attempts } of parts) expect(attempts).toBeLessThanOrEqual(50 * CHANNELS);
    const [{ after } = { after: 0 }] = await app.rows<{ after: number }>(
      `SELECT count(*)::int AS after FROM alert_events b WHERE b.project_id = $1
       AND b.created_at > (SELECT created_at FROM alert_events WHERE project_id = $2)`,
      [busy.projectId, owner.projectId],
    );
    expect(after).toBeGreaterThan(0);
  });

  it('counts an event that is set aside in a metric', async () => {
    await rules.rule();
    await send(owner);
    // As a second worker leaves the event that is killed while it matches the event alone.
    await app.rows(
      `INSERT INTO event_match_marks (project_id, worker, is_evaluating, until_position, event_id, suspects_until)
       SELECT project_id, $2, true, position, event_ids[1], position FROM event_outbox WHERE project_id = $1`,
      [owner.projectId, newId()],
    );
    await matchEvents(app);
    expect(await app.metrics()).toMatch(/^oes_alert_rule_skipped_total\{what="event"\} [1-9]/m);
  });

  it('takes events one by one whose matching fails for their data, and sets those aside that fail again', async () => {
    await rules.rule({ keep_firing_seconds: 60, group_by: ['properties.shop'] });
    const shops = ['a', 'bad', 'b', 'bad', 'a'];
    const lines = shops.map((shop) => ({ event_type: 'payment.failed', source: 'shop', payload: { shop } }));
    await app.rows(
      `ALTER TABLE alert_rule_series ADD CONSTRAINT poison CHECK (group_values ->> 'properties.shop' <> 'bad')`,
    );
    try {
      await sender.lines(owner.apiKey, lines);
      await matchEvents(app);
    } finally {
      await app.rows('ALTER TABLE alert_rule_series DROP CONSTRAINT poison');
    }
    expect((await raised()).map(({ occurrences }) => occurrences).sort()).toEqual([1, 2]);
    const given = await app.rows(
      `SELECT detail FROM audit_events WHERE project_id = $1 AND action = 'alert_rules.event_set_aside'`,
      [owner.projectId],
    );
    expect(given).toEqual([{ detail: { reason: 'failed' } }, { detail: { reason: 'failed' } }]);
  });

  it('gives up no event for a fault of the database or the service, and raises the alerts when the fault is over', async () => {
    const many = await ownerWithProject(app);
    const others = await Promise.all([1, 2].map(() => ownerWithProject(app)));
    await rulesOf(app, many).rule({ group_by: ['properties.n'] });
    for (const of of [owner, ...others]) await rulesOf(app, of).rule();
    // What a read-only standby, a broken index and a table on its way say; one of them to alerts that wait to be raised.
    const codes = ['25006', 'XX000', '42P01', 'XX000'];
    const projects = [owner, ...others, many].map(({ projectId }) => projectId);
    await app.rows(
      `CREATE FUNCTION be_broken() RETURNS trigger LANGUAGE plpgsql AS $$
       DECLARE code text := ('${JSON.stringify(Object.fromEntries(projects.map((id, at) => [id, codes[at]])))}'::json) ->> NEW.project_id::text;
       BEGIN
         IF code IS NOT NULL THEN RAISE EXCEPTION 'broken' USING ERRCODE = code; END IF;
         RETURN NEW; END $$`,
    );
    await app.rows('CREATE TRIGGER be_broken BEFORE INSERT ON alert_events FOR EACH ROW EXECUTE FUNCTION be_broken()');
    try {
      for (const of of [owner, ...others]) await send(of);
      await sender.lines(
        many.apiKey,
        Array.from({ length: 12 }, (_, n) => ({ event_type: 'payment.failed', source: 'shop', payload: { n } })),
      );
      // Tried again after a rest.
      const failures = (id: string): number =>
        app.logLines.filter((line) => line.includes(`events of project ${id} are kept and tried again`)).length;
      await eventually(
        async () => {
          await evaluateRules(app);
          return Math.min(...projects.map(failures));
        },
        (least) => least >= 2,
      );
      expect(await app.rows('SELECT FROM event_outbox')).toHaveLength(3);
      expect(await app.rows('SELECT FROM alert_rule_firings')).toHaveLength(12);
    } finally {
      await app.rows('DROP TRIGGER be_broken ON alert_events');
      await app.rows('DROP FUNCTION be_broken');
    }
    await matchEvents(app);
    for (const of of [owner, ...others]) expect(await raised(of)).toEqual([{ occurrences: 1, status: 'open' }]);
    expect(await raised(many)).toHaveLength(12);
    expect(
      await app.rows(`SELECT FROM audit_events WHERE project_id = ANY ($1) AND action LIKE 'alert_rules.%set_aside'`, [
        projects,
      ]),
    ).toEqual([]);
  });

  describe('a rule with a series that is due', () => {
    let id: string;
    let other: pg.Client;

    beforeEach(async () => {
      id = await rules.rule({ keep_firing_seconds: 3_600 });
      await send(owner);
      await matchEvents(app);
      other = await writing(owner.projectId);
    });
    afterEach(() => other.end());

    const isUpAt = async (time: string): Promise<void> => {
      await app.rows(
        `UPDATE alert_rule_series SET due_at = t.at, since = t.at - interval '1 hour', breached_at = t.at - interval '1 hour'
         FROM (SELECT ${time} AS at) t WHERE rule_id = $1`,
        [id],
      );
    };
    const state = async (): Promise<unknown> => (await rules.get(id)).state;
    const comesToRest = (): Promise<unknown> =>
      eventually(
        async () => {
          await evaluateRules(app);
          return state();
        },
        (now) => now === 'inactive',
      );

    it('does not resolve before an event is matched that was accepted earlier', async () => {
      await send(owner);
      await isUpAt(`(SELECT max(created_at) + interval '1 millisecond' FROM event_outbox)`);
      await evaluateRules(app);
      expect([await state(), await raised()]).toEqual(['firing', [{ occurrences: 1, status: 'open' }]]);
      await other.query('ROLLBACK');
      await matchEvents(app);
      expect([await state(), await raised()]).toEqual(['firing', [{ occurrences: 2, status: 'open' }]]);
    });

    it('does not resolve while a transaction of the project is open, and resolves after that', async () => {
      await isUpAt('now()');
      await evaluateRules(app);
      expect([await state(), await raised()]).toEqual(['firing', [{ occurrences: 1, status: 'open' }]]);
      await other.query('ROLLBACK');
      await comesToRest();
      expect(await raised()).toEqual([{ occurrences: 1, status: 'resolved' }]);
    });

    it('resolves although later events wait', async () => {
      await isUpAt(`now() - interval '1 minute'`);
      await send(owner);
      await evaluateRules(app);
      expect([await state(), await raised()]).toEqual(['inactive', [{ occurrences: 1, status: 'resolved' }]]);
    });
  });

  it('matches events and evaluates other projects while the windows of one project are slow', async () => {
    const slow = await ownerWithProject(app);
    const COUNT = { kind: 'threshold', window_seconds: 300, aggregate: 'count', op: 'lt', value: 10 };
    const theirs = rulesOf(app, slow);
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) ids.push(await theirs.rule({ name: `Slow ${at}`, condition: COUNT }));
    const mine = await rules.rule({ condition: COUNT });
    await app.rows(
      `CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_sleep(CASE WHEN NEW.project_id = '${slow.projectId}' THEN 3 ELSE 0 END); RETURN NEW; END $$`,
    );
    await app.rows('CREATE TRIGGER be_slow BEFORE INSERT ON alert_events FOR EACH ROW EXECUTE FUNCTION be_slow()');
    try {
      await app.rows(`UPDATE alert_rules SET next_evaluation_at = now() - interval '1 hour' WHERE project_id = $1`, [
        slow.projectId,
      ]);
      const windows = app.nest.get(RuleRunner, { strict: false });
      const run = windows.run('windows');
      await rules.rule({ name: 'Match' });
      await send(owner);
      await windows.run('matches');
      expect(await raised()).toContainEqual({ occurrences: 1, status: 'open' });
      // The slow ones are not through, and what is theirs waits longer for its next turn.
      expect(await run).toBeLessThan(5);
      expect((await rules.get(mine)).state).toBe('firing');
      const waits = await app.rows<{ late: boolean }>(
        `SELECT next_evaluation_at > now() + interval '40 seconds' AS late FROM alert_rules
         WHERE id = ANY ($1) AND last_evaluated_at IS NOT NULL`,
        [ids],
      );
      expect(waits.length).toBeLessThan(ids.length);
      expect(waits.filter(({ late }) => !late)).toEqual([]);
    } finally {
      await app.rows('DROP TRIGGER be_slow ON alert_events');
      await app.rows('DROP FUNCTION be_slow');
    }
  });

  it('evaluates the windows of other projects while those of one project hang', async () => {
    const stuck = await ownerWithProject(app);
    const COUNT = { kind: 'threshold', window_seconds: 300, aggregate: 'count', op: 'lt', value: 10 };
    const theirs = await rulesOf(app, stuck).rule({ condition: COUNT });
    const mine = await rules.rule({ condition: COUNT });
    await app.rows(
      `CREATE FUNCTION be_stuck() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF NEW.project_id = '${stuck.projectId}' THEN PERFORM pg_advisory_xact_lock(4711); END IF;
         RETURN NEW; END $$`,
    );
    await app.rows('CREATE TRIGGER be_stuck BEFORE INSERT ON alert_events FOR EACH ROW EXECUTE FUNCTION be_stuck()');
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(4711)');
    let run: Promise<number> | undefined;
    try {
      // The stuck one is due first.
      await app.rows(
        `UPDATE alert_rules SET next_evaluation_at = now() - CASE WHEN id = $1 THEN interval '1 hour'
           ELSE interval '1 minute' END WHERE id = ANY ($2)`,
        [theirs, [theirs, mine]],
      );
      run = app.nest.get(RuleRunner, { strict: false }).run('windows');
      await eventually(
        async () => (await rules.get(mine)).state,
        (state) => state === 'firing',
      );
      expect(await app.rows('SELECT last_evaluated_at, last_error FROM alert_rules WHERE id = $1', [theirs])).toEqual([
        { last_evaluated_at: null, last_error: null },
      ]);
    } finally {
      await holder.end();
      await run;
      await app.rows('DROP TRIGGER be_stuck ON alert_events');
      await app.rows('DROP FUNCTION be_stuck');
    }
    expect((await rulesOf(app, stuck).get(theirs)).state).toBe('firing');
  });
});

describe('the watch for absent events', () => {
  it('has not begun while accepted events wait in the queue', async () => {
    await emptyRedis();
    const queued = await createTestApp({ env: { ...DELIVERY_ENV, ...modeEnv('queued') } });
    try {
      const heartbeats = queued.nest.get(HeartbeatsWriter, { strict: false });
      await eventually(
        () => heartbeats.upSince(),
        (since) => since !== null,
      );
      await queued.rows(`UPDATE alert_heartbeats SET beat_at = now() - interval '31 seconds' WHERE name = 'draining'`);
      expect(await heartbeats.upSince()).toBeNull();
    } finally {
      await queued.close();
    }
  });
});
