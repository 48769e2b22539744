import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { RuleRound } from '../../src/modules/alert-rules/engine/rule-round.js';
import { Heartbeats } from '../../src/modules/alert-rules/windows/heartbeats.js';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { DELIVERY_ENV, type Json } from '../support/delivery.js';
import { emptyRedis, modeEnv, Sender } from '../support/ingestion.js';
import { evaluateRules, matchEvents, type RuleClient, RULES_ENV, rulesOf } from '../support/rules.js';
import { eventually } from '../support/service-process.js';

jest.setTimeout(120_000);

describe('rounds over the rules of all projects', () => {
  let app: TestApp;
  let sender: Sender;
  let owner: Owner;
  let rules: RuleClient;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
    sender = new Sender(app.url);
  });
  beforeEach(async () => {
    for (const table of ['alert_rules', 'event_watches', 'event_outbox']) await app.rows(`DELETE FROM ${table}`);
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
  });
  afterAll(async () => {
    sender.close();
    await app.close();
  });

  const send = async (of: Owner): Promise<void> => {
    const answer = await sender.ingest(of.apiKey, { event_type: 'payment.failed', source: 'shop' });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  const raised = (of: Owner = owner): Promise<Json[]> =>
    app.rows('SELECT occurrences::int, status FROM alert_events WHERE project_id = $1 ORDER BY created_at', [
      of.projectId,
    ]);
  /** Rows are taken up once whatever began to be written before them has ended. */
  const outboxIsSettled = (): Promise<unknown> =>
    eventually(
      () => app.rows('SELECT FROM event_outbox WHERE txid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1'),
      (unsettled) => unsettled.length === 0,
    );

  it('come to every project, however much another has waiting', async () => {
    const busy = await ownerWithProject(app);
    await rulesOf(app, busy).rule();
    await rules.rule();
    await app.rows(
      `INSERT INTO event_outbox (project_id, event_ids, timestamps, created_at)
       SELECT $1, '{}', '{}', now() - interval '1 hour' FROM generate_series(1, 6000)`,
      [busy.projectId],
    );
    await send(owner);
    await outboxIsSettled();
    await evaluateRules(app);
    expect(await raised()).toEqual([{ occurrences: 1, status: 'open' }]);
  });

  it('take fewer events at a time when they take too long', async () => {
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

  describe('over a series whose time is up', () => {
    let id: string;
    let other: pg.Client;

    beforeEach(async () => {
      id = await rules.rule({ keep_firing_seconds: 3_600 });
      await send(owner);
      await matchEvents(app);
      other = new pg.Client({ connectionString: app.databaseUrl, application_name: 'service-test' });
      await other.connect();
      await other.query('BEGIN');
      await other.query('SELECT pg_current_xact_id()');
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

    it('wait for an event that was accepted before and is not settled yet', async () => {
      await send(owner);
      await isUpAt(`(SELECT max(created_at) + interval '1 millisecond' FROM event_outbox)`);
      await evaluateRules(app);
      expect([await state(), await raised()]).toEqual(['firing', [{ occurrences: 1, status: 'open' }]]);
      await other.query('ROLLBACK');
      await matchEvents(app);
      expect([await state(), await raised()]).toEqual(['firing', [{ occurrences: 2, status: 'open' }]]);
    });

    it('wait for what is being written, and then let it rest', async () => {
      await isUpAt('now()');
      await evaluateRules(app);
      expect([await state(), await raised()]).toEqual(['firing', [{ occurrences: 1, status: 'open' }]]);
      await other.query('ROLLBACK');
      await comesToRest();
      expect(await raised()).toEqual([{ occurrences: 1, status: 'resolved' }]);
    });

    it('let it rest although later events wait', async () => {
      await isUpAt(`now() - interval '1 minute'`);
      await send(owner);
      await evaluateRules(app);
      expect([await state(), await raised()]).toEqual(['inactive', [{ occurrences: 1, status: 'resolved' }]]);
    });
  });

  it('go on with events and with other projects while windows of one are slow', async () => {
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
      const windows = app.nest.get(RuleRound, { strict: false });
      const round = windows.run('windows');
      await rules.rule({ name: 'Match' });
      await send(owner);
      await outboxIsSettled();
      await windows.run('matches');
      expect(await raised()).toContainEqual({ occurrences: 1, status: 'open' });
      // The slow ones are not through, and what is theirs waits longer for its next turn.
      expect(await round).toBeLessThan(5);
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

  it('come back to a rule that fails after a minute, two, four, and an hour at last', async () => {
    const id = await rules.rule({
      condition: { kind: 'threshold', window_seconds: 60, aggregate: 'count', op: 'gt', value: 1 },
    });
    await app.rows(`UPDATE alert_rules SET condition = '{"kind": "threshold"}' WHERE id = $1`, [id]);
    const waits: number[] = [];
    for (let failure = 0; failure < 9; failure += 1) {
      await evaluateRules(app);
      const [rule] = await app.rows<{ wait: number }>(
        'SELECT extract(epoch FROM next_evaluation_at - clock_timestamp())::float8 AS wait FROM alert_rules WHERE id = $1',
        [id],
      );
      waits.push(Math.round(rule?.wait ?? 0));
      await app.rows(
        `UPDATE alert_rules SET next_evaluation_at = now(), watched_since = watched_since - make_interval(secs => $2),
           updated_at = updated_at - make_interval(secs => $2) WHERE id = $1`,
        [id, rule?.wait],
      );
    }
    expect(waits).toEqual([60, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600].map((wait) => near(wait)));
  });
});

it('count the time in which events wait in the queue as none in which senders could be absent', async () => {
  await emptyRedis();
  const app = await createTestApp({ env: { ...DELIVERY_ENV, ...modeEnv('queued') } });
  try {
    const heartbeats = app.nest.get(Heartbeats, { strict: false });
    await eventually(
      () => heartbeats.upSince(),
      (since) => since !== null,
    );
    await app.rows(`UPDATE alert_heartbeats SET beat_at = now() - interval '31 seconds' WHERE name = 'draining'`);
    expect(await heartbeats.upSince()).toBeNull();
  } finally {
    await app.close();
  }
});

/** The clock goes on while the rule is evaluated. */
function near(seconds: number): unknown {
  return expect.closeTo(seconds, -1.5);
}
