import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MACHINES } from '../../../src/modules/events/conditions/patterns/machine-pool.js';
import { BacktestLimits } from '../../../src/modules/alerting/rules/backtest/backtest-limits.js';
import { AcceptedEventsReader, PastEventsReader } from '../../../src/modules/events/event-store/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertEventsOf, runMaintenance } from '../../support/alert-events.js';
import { type AlertClient, alertsOf, runAlertDeliveries } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Json } from '../../support/delivery.js';
import { Sender } from '../../support/ingestion.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventIs, evaluateRules, matchEvents, type RuleClient, RULES_ENV, rulesOf } from '../../support/rules.js';

describe('a rule that matches events', () => {
  let app: TestApp;
  let sender: Sender;
  let owner: Owner;
  let rules: RuleClient;
  let alerts: AlertClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
    sender = new Sender(app.url);
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    rules = rulesOf(app, owner);
    alerts = alertsOf(app, owner);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    sender.close();
    await app.close();
  });

  const send = async (of: Owner, ...events: object[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const event of events) {
      const answer = await sender.ingest(of.apiKey, { event_type: 'payment.failed', source: 'shop', ...event });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      ids.push(String(answer.body.ingested_event_id));
    }
    return ids;
  };
  /** Sends and has them matched. */
  const ingest = async (...events: object[]): Promise<string[]> => {
    const ids = await send(owner, ...events);
    await matchEvents(app);
    return ids;
  };
  /** Alert events of a project, the oldest first. */
  const raised = (of: Owner = owner): Promise<Json[]> =>
    app.rows(
      `SELECT alert_rule_id, group_values, occurrences::int, status, message, payload, event_id, last_event_id, severity
       FROM alert_events WHERE project_id = $1 ORDER BY created_at, id`,
      [of.projectId],
    );
  const occurrences = async (of?: Owner): Promise<number[]> =>
    (await raised(of)).map((one) => one.occurrences as number);
  const stateOf = async (id: string): Promise<string> => (await rules.get(id)).state as string;
  /** What has come to the receiver, sent now. */
  const notices = async (): Promise<Json[]> => {
    await runAlertDeliveries(app);
    return receiver.received.map(({ body }) => JSON.parse(body));
  };

  it('does not delay requests while the slowest patterns meet the slowest texts, and misses no match', async () => {
    const id = await rules.rule();
    const patterns = Array.from({ length: 20 }, (_, index) => ({
      field: 'properties.text',
      op: 'matches',
      value: `(a|b)*a[ab]{100}[^d]{${100 + index - 20}}c${index}`,
    }));
    await app.rows('UPDATE alert_rules SET condition = $2, revision = revision + 1 WHERE id = $1', [
      id,
      JSON.stringify({ kind: 'match', any: patterns }),
    ]);
    const text = 'ab'.repeat(2_000);
    await send(owner, ...Array.from({ length: 20 }, () => ({ payload: { text } })), {
      payload: { text: `${text}c19` },
    });
    const isOver = matchEvents(app).then(() => true);
    const health = async (): Promise<boolean> => {
      await app.request().get('/health').expect(200);
      return false;
    };
    let answeredMeanwhile = 0;
    while (!(await Promise.race([isOver, health()]))) answeredMeanwhile += 1;
    expect(answeredMeanwhile).toBeGreaterThan(5);
    expect(await occurrences()).toEqual([1]);
    expect(await rules.get(id)).toMatchObject({ state: 'firing', last_error: null });
  });

  it('keeps its compiled patterns, no matter how many patterns another project has', async () => {
    const quiet = await ownerWithProject(app);
    const theirs = await rulesOf(app, quiet).rule({
      condition: { kind: 'match', all: [{ field: 'properties.text', op: 'matches', value: 'timed? out' }] },
    });
    const ofQuiet = async (): Promise<number> => {
      const before = MACHINES.made;
      await send(quiet, { payload: { text: 'it timed out' } });
      await matchEvents(app);
      return MACHINES.made - before;
    };
    await ofQuiet();
    // More than the memory of a process holds: 50 rules of 20 patterns, each as large as one may be.
    const RULES = 50;
    const first = await rules.rule();
    await Promise.all(Array.from({ length: RULES - 1 }, () => rules.rule()));
    await app.rows(
      `WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id = $2, id) AS at FROM alert_rules WHERE project_id = $1)
       UPDATE alert_rules r SET revision = revision + 1, condition = json_build_object('kind', 'match', 'any', (
         SELECT json_agg(json_build_object('field', 'properties.text', 'op', 'matches',
           'value', '(a|b)*a[ab]{100}[^d]{100}[^e]{40}c' || n.at || '-' || p)) FROM generate_series(1, 20) p))
       FROM numbered n WHERE n.id = r.id`,
      [owner.projectId, first],
    );
    const before = MACHINES.made;
    await ingest({ payload: { text: `${'ab'.repeat(130)}ac${RULES}-20` } });
    expect(MACHINES.made - before).toBeGreaterThanOrEqual((RULES - 1) * 20);
    expect(MACHINES.bytes).toBeLessThanOrEqual(32 * 1_024 * 1_024);
    expect(await stateOf(first)).toBe('firing');
    expect((await rules.list()).filter(({ last_error: error }) => error !== null)).toEqual([]);
    expect(await ofQuiet()).toBe(0);
    expect(await rulesOf(app, quiet).get(theirs)).toMatchObject({ state: 'firing' });
  });

  it('loses no notification of a batch when silences are slow to evaluate', async () => {
    const id = await rules.rule({ group_by: ['properties.n'] });
    await alerts.destination(receiver.url);
    await app.rows(
      `INSERT INTO alert_silences (id, project_id, starts_at, ends_at, filter)
       SELECT gen_random_uuid(), $1::uuid, now(), now() + interval '1 hour', json_build_object('any', (
         SELECT json_agg(json_build_object('field', 'properties.text', 'op', 'matches',
           'value', '(a|b)*a[ab]{100}[^c]{90}c' || s || '-' || p)) FROM generate_series(1, 20) p))
       FROM generate_series(1, 8) s
       UNION ALL SELECT gen_random_uuid(), $1::uuid, now(), now() + interval '2 hours',
         '{"field": "properties.n", "op": "eq", "value": 2}'`,
      [owner.projectId],
    );
    const text = 'ab'.repeat(2_048);
    const events = [0, 1, 2, 3].map((n) => ({ payload: { n, text } }));
    await sender.lines(
      owner.apiKey,
      events.map((event) => ({ event_type: 'payment.failed', source: 'shop', ...event })),
    );
    await matchEvents(app);
    const seen = alertEventsOf(app, owner);
    const told = async (): Promise<unknown[]> => {
      const rows = await app.rows<{ id: string }>(
        `SELECT id FROM alert_events WHERE alert_rule_id = $1 ORDER BY group_values ->> 'properties.n'`,
        [id],
      );
      return Promise.all(
        rows.map(async (one) => (await seen.timeline(one.id)).filter(({ type }) => type === 'notified')),
      );
    };
    const despite = [expect.objectContaining({ detail: expect.objectContaining({ silences_unasked: true }) })];
    // The first took what the transaction of the batch had for silences.
    expect(await told()).toEqual([despite, [], [], []]);
    await runMaintenance(app);
    expect(await told()).toEqual([despite, despite, [], despite]);
    expect(await notices()).toHaveLength(3);
  });

  it('counts every event once while several workers race and rules change', async () => {
    const other = await createTestApp({ env: RULES_ENV, databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    const over = new AbortController();
    try {
      const [plain, grouped, restless] = [
        await rules.rule({ name: 'Plain' }),
        await rules.rule({ name: 'Grouped', group_by: ['properties.shop'] }),
        await rules.rule({ name: 'Restless', condition: { kind: 'match', ...eventIs('never') } }),
      ];
      const stranger = await ownerWithProject(app);
      await rulesOf(app, stranger).rule();
      const COUNT = 240;
      const SENDERS = 24;
      // A server resets connections that have sent no request for long; a slow machine must not have all of them open
      // at once.
      const sending = Promise.all(
        Array.from({ length: SENDERS }, async (_, sender) => {
          for (let at = sender; at < COUNT; at += SENDERS) {
            await send(at % 4 === 0 ? stranger : owner, { payload: { shop: `shop ${at % 3}` } });
          }
        }),
      );
      const working = [app, other, app, other].map(async (worker) => {
        while (!over.signal.aborted) await evaluateRules(worker);
      });
      const changing = (async () => {
        for (let change = 0; !over.signal.aborted; change += 1) {
          expect((await rules.patch(restless, { is_enabled: change % 2 === 1 })).status).toBe(200);
        }
      })();
      await sending;
      over.abort();
      await Promise.all([...working, changing]);
      await matchEvents(other);
      const ofRule = async (id: string, of: Owner): Promise<number> =>
        (await raised(of))
          .filter((one) => one.alert_rule_id === id)
          .map((one) => Number(one.occurrences))
          .reduce((sum, count) => sum + count, 0);
      expect([await ofRule(plain, owner), await ofRule(grouped, owner)]).toEqual([COUNT * 0.75, COUNT * 0.75]);
      expect(await occurrences(stranger)).toEqual([COUNT / 4]);
      expect(await app.rows('SELECT FROM event_outbox JOIN event_watches USING (project_id)')).toEqual([]);
    } finally {
      over.abort();
      await other.close();
    }
  });

  describe('a back-test of large events', () => {
    const LARGE = 900_000;
    const EVENTS = 7;
    const condition = { kind: 'match', all: [{ field: 'properties.shop', op: 'contains', value: 'north' }] };
    let ids: string[];
    /** Bytes of what was read of events, by statement. */
    let read: number[];

    beforeEach(async () => {
      const shop = (at: number): string => (at === 3 ? 'south' : 'north');
      const filler = 'x'.repeat(LARGE);
      ids = await send(
        owner,
        ...Array.from({ length: EVENTS }, (_, at) => ({ payload: { shop: shop(at), at, filler } })),
      );
      read = [];
      for (const name of ['read', 'told'] as const) {
        const repository = app.nest.get<Record<string, (...parameters: unknown[]) => Promise<unknown>>>(
          name === 'read' ? PastEventsReader : AcceptedEventsReader,
          { strict: false },
        );
        const real = repository[name]?.bind(repository);
        jest.spyOn(repository, name).mockImplementation(async (...parameters: unknown[]) => {
          const rows = await real?.(...parameters);
          read.push(JSON.stringify(rows).length);
          return rows;
        });
      }
    });
    afterEach(() => {
      jest.restoreAllMocks();
      Object.assign(app.nest.get(BacktestLimits, { strict: false }), new BacktestLimits());
    });

    const tried = async (rule: object = {}): Promise<Json> => {
      const id = await rules.rule({ condition, cooldown_seconds: 0, ...rule });
      const answer = await rules.backtest(id);
      expect(answer.status).toBe(200);
      return answer.body;
    };
    const fitting = (): string[] => ids.filter((_, at) => at !== 3);
    const told = (answer: Json): unknown[] => (answer.firings as Json[]).map(({ event_id: id }) => id);

    it('reads only the properties that its rule uses', async () => {
      const answer = await tried();
      expect([answer.evaluations, answer.truncated, told(answer)]).toEqual([EVENTS - 1, false, fitting()]);
      expect(answer.firings[0]).toMatchObject({
        reason: 'Payments fail: payment.failed',
        values: { omitted: expect.any(String) },
      });
      expect(Math.max(...read)).toBeLessThan(10_000);
    });

    it('evaluates each event once and in order, with few events in memory at once', async () => {
      const limits = app.nest.get(BacktestLimits, { strict: false });
      limits.pageEvents = 3;
      const heavy = {
        kind: 'match',
        all: [...condition.all, { field: 'properties.filler', op: 'exists', value: true }],
      };
      const answer = await tried({ condition: heavy, group_by: ['properties.at'] });
      expect([answer.evaluations, answer.truncated, told(answer)]).toEqual([EVENTS - 1, false, fitting()]);
      expect((answer.firings as Json[]).map(({ group }) => group)).toEqual(
        [0, 1, 2, 4, 5, 6].map((at) => ({ 'properties.at': at })),
      );
      expect(Math.max(...read)).toBeGreaterThan(LARGE);
      expect(Math.max(...read)).toBeLessThan(LARGE * 2);
    });

    it('evaluates as many events as its limits allow, and is marked as truncated', async () => {
      const limits = app.nest.get(BacktestLimits, { strict: false });
      limits.pageEvents = 2;
      limits.mostEvents = 4;
      const answer = await tried();
      expect([answer.evaluations, answer.truncated, told(answer)]).toEqual([4, true, fitting().slice(0, 4)]);
      limits.mostMs = 0;
      expect(await tried()).toMatchObject({ evaluations: 0, truncated: true, firings: [] });
    });

    it('returns no more firings than an answer may hold', async () => {
      await send(owner, ...Array.from({ length: 6 }, () => ({ payload: { shop: 'north', note: 'n'.repeat(10_000) } })));
      const whole = await tried();
      expect((whole.firings as Json[]).slice(-6).map(({ values }) => values.note.length)).toEqual(
        Array.from({ length: 6 }, () => 10_000),
      );
      app.nest.get(BacktestLimits, { strict: false }).toldBytes = 45_000;
      const cut = await tried();
      expect([cut.evaluations, cut.truncated]).toEqual([EVENTS + 5, true]);
      expect(told(cut)).toEqual(told(whole).slice(0, 10));
    });

    it('waits for another back-test of its project, but not for other projects', async () => {
      const stranger = await ownerWithProject(app);
      await send(stranger, {});
      const theirs = rulesOf(app, stranger);
      const [mine, other] = [await rules.rule({ condition }), await theirs.rule()];
      const repository = app.nest.get(PastEventsReader, { strict: false });
      let go: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (go = resolve));
      const begun: string[] = [];
      const locators = repository.locators.bind(repository);
      jest.spyOn(repository, 'locators').mockImplementation(async (rule, ...more) => {
        begun.push(rule.projectId);
        if (rule.projectId === owner.projectId) await held;
        return locators(rule, ...more);
      });
      const answers = [rules.backtest(mine), rules.backtest(mine)];
      expect((await theirs.backtest(other)).body).toMatchObject({ evaluations: 1 });
      expect(begun.filter((projectId) => projectId === owner.projectId)).toHaveLength(1);
      go();
      for (const { body } of await Promise.all(answers)) expect(body.evaluations).toBe(EVENTS - 1);
    });
  });
});
