import { beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { CONFIG, type Config } from '../../../src/config/index.js';
import { HeartbeatsWriter } from '../../../src/modules/alerting/heartbeats/index.js';
import { WindowRunner } from '../../../src/modules/alerting/rules/windows/window-runner.js';
import { BacktestLimits } from '../../../src/modules/alerting/rules/backtest/backtest-limits.js';
import { Database } from '../../../src/platform/database/database.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp } from '../../support/app.js';
import type { Json } from '../../support/delivery.js';
import { countEvents, type EventRow, insertEvents } from '../../support/event-rows.js';
import { eventIs, evaluateRules, type RuleClient, RULES_ENV, rulesOf } from '../../support/rules.js';
import { age, VirtualRules } from '../../support/virtual-rules.js';
import { app } from './api-app.js';

/** Long ago, so that the present has no part in it; in the middle of an hour. */
const START = new Date('2026-03-01T12:20:00.000Z');
const COUNT_OVER_10 = { kind: 'threshold', window_seconds: 300, aggregate: 'count', op: 'gt', value: 10 };

describe('a rule on a window', () => {
  let owner: Owner;
  let rules: RuleClient;
  let time: VirtualRules;

  beforeEach(async () => {
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    time = new VirtualRules(app, owner.projectId, START);
    await isUpSince(time.at(-86_400));
  });

  /** Ingestion and evaluation have been running for as long as this. */
  const isUpSince = async (since: Date): Promise<void> => {
    await app.rows(
      `INSERT INTO alert_heartbeats (name, up_since, beat_at)
       SELECT name, $1, now() + interval '1 hour' FROM unnest('{ingestion,evaluation}'::text[]) name
       ON CONFLICT ON CONSTRAINT pk_alert_heartbeats DO UPDATE SET up_since = $1, beat_at = excluded.beat_at`,
      [since],
    );
  };
  /** So many events at each of these seconds from now. */
  const put = async (seconds: readonly number[], more: Partial<EventRow> = {}, times = 1): Promise<void> => {
    const at = seconds.flatMap((second) => Array.from({ length: times }, () => time.at(second)));
    await insertEvents(
      app,
      owner.projectId,
      at.map((timestamp) => ({ timestamp, ...more })),
    );
  };
  const make = async (rule: object): Promise<string> => {
    const id = await rules.rule(rule);
    await time.begin();
    return id;
  };
  const raised = (): Promise<Json[]> =>
    app.rows(
      `SELECT group_values, occurrences::int, status, message, payload, event_id FROM alert_events
       WHERE project_id = $1 ORDER BY created_at, id`,
      [owner.projectId],
    );
  const statuses = async (): Promise<string[]> => (await raised()).map(({ status }) => status as string);
  /** Lets time pass and has the rule evaluated. @returns the state it shows and its alert events */
  const after = async (seconds: number, id: string): Promise<[string, string[]]> => {
    time.advance(seconds);
    await time.evaluate(id);
    return [(await rules.get(id)).state as string, await statuses()];
  };

  it('goes from pending to firing to recovering to inactive, and again, as events enter and leave its window', async () => {
    const id = await make({ condition: COUNT_OVER_10, for_seconds: 60, keep_firing_seconds: 120 });
    await put([0], {}, 10);
    expect(await after(0.001, id)).toEqual(['inactive', []]);
    await put([0], {}, 1);
    expect(await after(0.001, id)).toEqual(['pending', []]);
    expect(await after(59, id)).toEqual(['pending', []]);
    expect(await after(1, id)).toEqual(['firing', ['open']]);
    expect(await after(230, id)).toEqual(['firing', ['open']]);
    // The events have left the window.
    expect(await after(20, id)).toEqual(['recovering', ['open']]);
    await put([0], {}, 11);
    expect(await after(1, id)).toEqual(['firing', ['open']]);
    expect(await after(298, id)).toEqual(['firing', ['open']]);
    expect(await after(2, id)).toEqual(['recovering', ['open']]);
    expect(await after(117, id)).toEqual(['recovering', ['open']]);
    expect(await after(1, id)).toEqual(['inactive', ['resolved']]);
    await put([0], {}, 11);
    expect(await after(1, id)).toEqual(['pending', ['resolved']]);
    expect(await after(60, id)).toEqual(['firing', ['resolved', 'open']]);
    const [first] = await raised();
    expect(first).toMatchObject({
      occurrences: 1,
      event_id: null,
      message: 'Payments fail: count over 300 s is 11 (gt 10)',
      payload: { kind: 'threshold', aggregate: 'count', value: 11, op: 'gt', threshold: 10, window_seconds: 300 },
    });
  });

  it('begins to wait for for_seconds again when it was not evaluated for longer', async () => {
    const id = await make({ condition: COUNT_OVER_10, for_seconds: 600 });
    await put([0], {}, 20);
    expect(await after(1, id)).toEqual(['pending', []]);
    time.advance(700);
    await put([-1], {}, 20);
    expect(await after(0, id)).toEqual(['pending', []]);
    expect((await raised()).length).toBe(0);
  });

  it.each<[string, string | undefined, number]>([
    ['count', undefined, 5],
    ['sum', 'properties.n', 16],
  ])(
    'computes %s (field: %s) without events a second before its window and at its end',
    async (aggregate, aggregate_field, expected) => {
      const condition = { ...COUNT_OVER_10, ...eventIs('e'), aggregate, aggregate_field, op: 'eq', value: expected };
      const id = await make({ condition });
      for (const [n, log_status] of [
        [1, 200],
        [2, 500],
        [9, 503],
        [4, 404],
        ['7', 200],
      ] as const) {
        await put([-10], { properties: { n }, log_status, log_latency_ms: typeof n === 'number' ? n * 10 - 20 : 70 });
      }
      await put([-10], { event: 'other', properties: { n: 1_000 }, log_status: 504, log_latency_ms: 9_000 }, 3);
      await put([-301, 0], { properties: { n: 1_000 }, log_latency_ms: 9_000, log_status: 504 });
      expect(await after(0, id)).toEqual(['firing', ['open']]);
      expect((await raised())[0]?.payload.value).toBe(expected);
    },
  );

  it('counts the same from counted hours as from the rows of events', async () => {
    const filter = { all: [...eventIs('a').all, { field: 'severity', op: 'eq', value: 'error' }] };
    const base = { ...COUNT_OVER_10, ...filter, window_seconds: 7_200, op: 'gte', value: 0 };
    await put([-7_201, -7_200, -5_000, -3_600, -10, -1, 0], { event: 'a', severity: 'error', log_status: 500 }, 3);
    await put([-7_000, -100], { event: 'a', severity: 'info' }, 5);
    await put([-100], { event: 'b', severity: 'error' }, 7);
    await countEvents(app);
    const counted = await make({ condition: base, group_by: ['environment'] });
    const rows = await make({
      condition: { ...base, not: { field: 'properties.none', op: 'exists' } },
      group_by: ['environment'],
    });
    await time.evaluate(counted);
    await time.evaluate(rows);
    expect((await raised()).map(({ payload }) => payload.value)).toEqual([15, 15]);
  });

  describe('a rule of kind absence', () => {
    const ABSENT = { condition: { kind: 'absence', window_seconds: 300, ...eventIs('heartbeat') } };

    it('fires when its window has passed since it was created, also when no event ever came', async () => {
      const id = await make(ABSENT);
      expect(await after(299, id)).toEqual(['inactive', []]);
      await put([-5], { event: 'something else' });
      expect(await after(1, id)).toEqual(['firing', ['open']]);
      expect((await raised())[0]).toMatchObject({
        message: 'Payments fail: no event for 300 s',
        payload: { kind: 'absence', window_seconds: 300, last_event_at: null },
      });
      await put([0], { event: 'heartbeat' });
      expect(await after(1, id)).toEqual(['inactive', ['resolved']]);
      expect(await after(299, id)).toEqual(['inactive', ['resolved']]);
      expect(await after(1, id)).toEqual(['firing', ['resolved', 'open']]);
    });

    it('does not fire while the service is down, nor until it has watched a whole window after that', async () => {
      const id = await make(ABSENT);
      time.advance(1_000);
      for (const name of ['ingestion', 'evaluation']) {
        await app.rows(`UPDATE alert_heartbeats SET beat_at = now() - interval '31 seconds' WHERE name = $1`, [name]);
        expect(await after(1, id)).toEqual(['inactive', []]);
        await app.rows(`UPDATE alert_heartbeats SET beat_at = now() + interval '1 hour'`);
      }
      await isUpSince(time.at(0));
      expect(await after(299, id)).toEqual(['inactive', []]);
      expect(await after(2, id)).toEqual(['firing', ['open']]);
      // What is firing neither recovers nor fires again for an outage.
      await app.rows(`UPDATE alert_heartbeats SET beat_at = now() - interval '31 seconds' WHERE name = 'ingestion'`);
      expect(await after(10, id)).toEqual(['firing', ['open']]);
      await isUpSince(time.at(0));
      expect(await after(10, id)).toEqual(['firing', ['open']]);
    });

    it('has a start of its watch that begins again when no process ran for half a minute', async () => {
      const upSince = (): Promise<Json[]> =>
        app.rows(`SELECT name, up_since > now() - interval '1 minute' AS "isNew" FROM alert_heartbeats ORDER BY name`);
      await app.rows(`UPDATE alert_heartbeats SET beat_at = now()`);
      // As another process beats that has just started.
      const heartbeats = new HeartbeatsWriter(app.nest.get(Database), app.nest.get<Config>(CONFIG));
      for (const what of ['ingestion', 'evaluation'] as const) await heartbeats.beat(what);
      expect(await upSince()).toEqual([
        { name: 'evaluation', isNew: false },
        { name: 'ingestion', isNew: false },
      ]);
      await app.rows(`UPDATE alert_heartbeats SET beat_at = now() - interval '31 seconds'`);
      const other = await createTestApp({ env: RULES_ENV, databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      await evaluateRules(other);
      await other.close();
      expect(await upSince()).toEqual([
        { name: 'evaluation', isNew: true },
        { name: 'ingestion', isNew: true },
      ]);
    });

    it('watches each group that had events, and no other groups', async () => {
      const id = await make({ ...ABSENT, group_by: ['source_id', 'properties.host'] });
      await put([-10_000, 0], { event: 'heartbeat', properties: { host: 'a' } });
      await put([0, 200], { event: 'heartbeat', properties: { host: 'b' } });
      await put([-90_000], { event: 'heartbeat', properties: { host: 'long gone' } });
      expect(await after(299, id)).toEqual(['inactive', []]);
      expect(await after(2, id)).toEqual(['firing', ['open']]);
      expect((await raised()).map((one) => one.group_values['properties.host'])).toEqual(['a']);
      await put([0], { event: 'heartbeat', properties: { host: 'a' } });
      expect(await after(1, id)).toEqual(['inactive', ['resolved']]);
      expect(await after(300, id)).toEqual(['firing', ['resolved', 'open', 'open']]);
    });

    it('does not fire for an archived project, and begins its watch when the project is restored', async () => {
      const id = await rules.rule(ABSENT);
      await isUpSince(new Date(Date.now() - 86_400_000));
      await age(app, 400);
      await app.rows('UPDATE projects SET archived_at = now() WHERE id = $1', [owner.projectId]);
      await evaluateRules(app);
      await app.rows('UPDATE projects SET archived_at = NULL WHERE id = $1', [owner.projectId]);
      await age(app, 200);
      await evaluateRules(app);
      expect([(await rules.get(id)).state, await statuses()]).toEqual(['inactive', []]);
      await age(app, 101);
      await isUpSince(new Date(Date.now() - 86_400_000));
      await app.rows('UPDATE alert_rules SET next_evaluation_at = now() WHERE id = $1', [id]);
      await evaluateRules(app);
      expect([(await rules.get(id)).state, await statuses()]).toEqual(['firing', ['open']]);
    });
  });

  it('shows that it fails and why, also in a metric and in back-tests, until it succeeds or is changed', async () => {
    const id = await rules.rule({ condition: COUNT_OVER_10 });
    const failing = (reason: string): object => ({
      state: 'failing',
      last_error: reason,
      last_error_at: expect.stringMatching(/Z$/),
    });
    const fine = { state: 'inactive', last_error: null, last_error_at: null };
    const has = async (condition: object): Promise<void> => {
      await app.rows(
        `UPDATE alert_rules SET condition = $2, revision = revision + 1, next_evaluation_at = now() WHERE id = $1`,
        [id, JSON.stringify(condition)],
      );
      await evaluateRules(app);
    };
    const matching = (value: string, times = 1): object => ({
      ...COUNT_OVER_10,
      any: Array(times).fill({ field: 'message', op: 'matches', value }),
    });
    expect(await rules.get(id)).toMatchObject(fine);
    // As they were stored before their patterns were bounded. PostgreSQL takes a while to refuse it.
    app.nest.get(WindowRunner, { strict: false }).patternTimeout = '120s';
    app.nest.get(BacktestLimits, { strict: false }).mostMs = 120_000;
    await put([-1], { message: 'x' });
    await has(matching('([a-z]x?){90}(^|$){30}x'));
    const refused = 'PostgreSQL refuses one of its patterns as too complex';
    expect(await rules.get(id)).toMatchObject(failing(refused));
    expect(await app.metrics()).toMatch(/^oes_alert_rule_evaluation_failures_total [1-9]/m);
    await put([0], { timestamp: new Date(), message: 'x' });
    const backtest = await rules.backtest(id);
    expect([backtest.status, backtest.body]).toEqual([409, { detail: { code: 'evaluation_failed', reason: refused } }]);
    await has(matching('x', 21));
    const many = 'Its condition is no longer accepted: any.20.value: a filter has at most 20 patterns';
    expect(await rules.get(id)).toMatchObject(failing(many));
    expect((await rules.backtest(id)).body).toEqual({ detail: { code: 'evaluation_failed', reason: many } });
    expect((await rules.list()).map(({ state }) => state)).toEqual(['failing']);
    expect((await rules.patch(id, { condition: COUNT_OVER_10 })).body).toMatchObject(fine);
    await has({ kind: 'threshold' });
    expect((await rules.get(id)).state).toBe('failing');
    await has(COUNT_OVER_10);
    expect(await rules.get(id)).toMatchObject(fine);
  });

  describe('a back-test', () => {
    it('returns what it has seen when the events take too long to be read, also as a preview', async () => {
      const ids = [await rules.rule(), await rules.rule({ condition: COUNT_OVER_10 })];
      const requests = [
        ...ids.map((id) => () => rules.backtest(id)),
        () => rules.create({ condition: COUNT_OVER_10, preview: true }),
      ];
      const limits = app.nest.get(BacktestLimits, { strict: false });
      const client = new pg.Client({ connectionString: app.databaseUrl });
      await client.connect();
      limits.mostMs = 300;
      try {
        await client.query('BEGIN');
        await client.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
        const answers = await Promise.all(requests.map((request) => request()));
        expect(answers.map(({ status, body }) => [status, body.evaluations, body.truncated, body.firings])).toEqual(
          requests.map(() => [200, 0, true, []]),
        );
      } finally {
        limits.mostMs = new BacktestLimits().mostMs;
        await client.end();
      }
    });

    it('returns at most the largest number of firings, and says that there are more', async () => {
      await insertEvents(
        app,
        owner.projectId,
        Array.from({ length: 6 }, (_, at) => ({ timestamp: time.at(at * 300) })),
      );
      const id = await make({ condition: { ...COUNT_OVER_10, window_seconds: 60, value: 0 }, cooldown_seconds: 0 });
      const window = { from_ts: time.at(0).toISOString(), to_ts: time.at(3_600).toISOString() };
      const whole = (await rules.backtest(id, window)).body;
      expect([whole.firings.length, whole.truncated]).toEqual([6, false]);
      const limits = app.nest.get(BacktestLimits, { strict: false });
      limits.firings = 4;
      try {
        const cut = (await rules.backtest(id, window)).body;
        expect(cut).toEqual({ ...whole, truncated: true, firings: whole.firings.slice(0, 4) });
      } finally {
        limits.firings = new BacktestLimits().firings;
      }
    });
  });
});
