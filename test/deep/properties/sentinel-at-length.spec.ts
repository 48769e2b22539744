import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { asProjectId } from '../../../src/modules/access/index.js';
import { HeartbeatsWriter } from '../../../src/modules/alerting/heartbeats/index.js';
import { usualAt } from '../../../src/modules/alerting/sentinel/baseline/profile.js';
import { TrainingHistoryRepository } from '../../../src/modules/alerting/sentinel/rounds/training-history.repository.js';
import { SeriesProfilesRepository } from '../../../src/modules/alerting/sentinel/rounds/series-profiles.repository.js';
import { WatchedProjectsRepository } from '../../../src/modules/alerting/sentinel/rounds/watched-projects.repository.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { alertsOf, runAlertDeliveries, expectedSignature } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { alertEventsOf, runMaintenance } from '../../support/alert-events.js';
import { INTERNAL_TOKEN, type Json } from '../../support/delivery.js';
import { Sender } from '../../support/ingestion.js';
import { startReceiver } from '../../support/receiver.js';
import { RULES_ENV, rulesOf } from '../../support/rules.js';
import { SentinelClient, type Steady } from '../../support/sentinel.js';
import { eventually } from '../../support/eventually.js';

const DAY = 288;

describe('Sentinel', () => {
  let app: TestApp;
  let owner: Owner;
  let sentinel: SentinelClient;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
  });
  beforeEach(async () => {
    // The projects of earlier tests would be evaluated too.
    await app.rows('DELETE FROM sentinel_projects');
    await app.rows(`UPDATE projects SET archived_at = now()`);
    // A machine that stood still for half a minute looks like an outage of ours.
    await app.rows('DELETE FROM alert_heartbeats');
    owner = await ownerWithProject(app);
    sentinel = new SentinelClient(app, owner);
  });
  afterAll(() => app.close());

  /** Four days like each other, then what is given for each bucket up to the newest. */
  const history = async (steady: Steady, then: readonly (Partial<Steady> | null)[], days = 4): Promise<void> => {
    await sentinel.put(-days * DAY - then.length, -then.length, steady);
    for (const [index, bucket] of then.entries()) {
      const place = index - then.length + 1;
      if (bucket !== null) await sentinel.put(place, place, { ...steady, ...bucket });
    }
    await sentinel.count();
    await sentinel.watchFrom(-then.length + 1);
    await sentinel.detect();
  };
  const kinds = async (): Promise<string[]> =>
    (await sentinel.findings()).map(({ kind, series, severity }: Json) => `${kind} ${series.type} ${severity}`);

  describe('a narrow series', () => {
    it('has a finding of its own severity when the project as a whole is as usual', async () => {
      const types: [kind: string, severity: string, steady: number, more: Partial<Steady> | null, buckets: number][] = [
        ['rate_spike', 'warning', 5, { events: 149 }, 1],
        ['rate_spike', 'critical', 5, { events: 150 }, 1],
        ['silence', 'warning', 5, null, 4],
        ['rate_drop', 'warning', 20, { events: 1 }, 3],
        ['error_burst', 'warning', 50, { errors: 24 }, 1],
        ['error_burst', 'critical', 50, { errors: 25 }, 1],
      ];
      await sentinel.put(-3 * DAY - 12, 0, { events: 60, event: 'other' });
      for (const [kind, severity, events, more, buckets] of types) {
        const event = `${kind} ${severity}`;
        await sentinel.put(-3 * DAY - 12, -buckets, { events, event });
        if (more !== null) await sentinel.put(1 - buckets, 0, { events, event, ...more });
      }
      await sentinel.count();
      await sentinel.watchFrom(0);
      await sentinel.detect();
      const found = await sentinel.findings();
      expect(new Set(found.map((one: Json) => [one.kind, one.severity, one.series.type, one.series.value]))).toEqual(
        new Set(types.map(([kind, severity]) => [kind, severity, 'event', `${kind} ${severity}`])),
      );
    });
  });

  describe('a series of events', () => {
    /** What is told, without what differs from one project to the next. */
    const told = async (of: SentinelClient): Promise<Json[]> => {
      const findings = await Promise.all((await of.findings()).map(({ id }: Json) => of.finding(id)));
      return findings.map(
        ({ kind, series, status, severity, score, started_at, last_seen_at, resolved_at, evidence }) => ({
          ...{ kind, series, status, severity, score, started_at, last_seen_at, resolved_at },
          ...{ points: evidence.points, contributors: evidence.contributors, baseline: evidence.baseline },
        }),
      );
    };

    it('is evaluated to the same result in any order of arrival and at any times of rounds', async () => {
      const counts = fc.array(fc.constantFrom(0, 5, 5, 60, 150), { minLength: 6, maxLength: 9 });
      await fc.assert(
        fc.asyncProperty(counts, fc.infiniteStream(fc.nat(1_000)), async (buckets, chance) => {
          const first = 1 - buckets.length;
          const [atOnce, apart] = [await ownerWithProject(app), await ownerWithProject(app)].map((one) =>
            sentinel.of(one),
          );
          if (atOnce === undefined || apart === undefined) throw new Error('there are two');
          await Promise.all([atOnce, apart].map((one) => one.put(-3 * DAY - 12, first - 1, { events: 5 })));
          const places = buckets.map((_, index) => first + index);
          const put = async (to: SentinelClient, place: number): Promise<void> => {
            const events = buckets[place - first] ?? 0;
            if (events > 0) await to.put(place, place, { events });
          };
          const orders = new Map(places.map((place) => [place, chance.next().value]));
          for (const place of places.toSorted((a, b) => (orders.get(a) ?? 0) - (orders.get(b) ?? 0)))
            await put(atOnce, place);
          await atOnce.count();
          await atOnce.watchFrom(first);
          await atOnce.detect();
          for (const place of places) {
            await put(apart, place);
            await apart.count();
            if (place === first) await apart.watchFrom(first);
            await apart.detectTo(place);
          }
          expect(await told(apart)).toEqual(await told(atOnce));
        }),
        { numRuns: Number(process.env.SENTINEL_RUNS ?? 3) },
      );
    });

    it('is not missed while we could take nothing', async () => {
      await app.rows(
        `INSERT INTO alert_heartbeats (name, down_since, up_since, beat_at) VALUES ('ingestion', $1, $2, now())
         ON CONFLICT ON CONSTRAINT pk_alert_heartbeats DO UPDATE SET down_since = $1, up_since = $2`,
        [sentinel.at(sentinel.newest - 5), sentinel.at(sentinel.newest + 1)],
      );
      await history({ events: 40 }, [null, null, null, null]);
      expect(await kinds()).toEqual([]);
    });

    it('is not missed while no process of ours was there, which the next one says', async () => {
      const beats = jest.spyOn(app.nest.get(HeartbeatsWriter, { strict: false }), 'beat').mockResolvedValue();
      const diedAt = sentinel.at(sentinel.newest - 6);
      await app.rows(
        `INSERT INTO alert_heartbeats (name, up_since, beat_at) VALUES ('ingestion', $1, $1)
         ON CONFLICT ON CONSTRAINT pk_alert_heartbeats DO UPDATE SET up_since = $1, beat_at = $1, down_since = NULL`,
        [diedAt],
      );
      const next = await createTestApp({ env: RULES_ENV, databaseUrl: app.databaseUrl });
      try {
        const [known] = await eventually(
          () => app.rows<{ down: Date | null }>('SELECT down_since AS down FROM alert_heartbeats'),
          ([row]) => row?.down !== null,
        );
        expect(known).toEqual({ down: diedAt });
        await history({ events: 40 }, [null, null, null, null]);
        expect(await kinds()).toEqual([]);
      } finally {
        await next.close();
        beats.mockRestore();
      }
      // As long a gap, and we were there.
      await app.rows('DELETE FROM alert_heartbeats');
      await app.rows('DELETE FROM sentinel_findings');
      await sentinel.watchFrom(0);
      await sentinel.detect();
      expect(await kinds()).toEqual(['silence project critical']);
    });

    it('costs no more with ten thousand types, and is one explosion of them', async () => {
      const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
      const types = (bucket: number): Promise<unknown> =>
        app.rows(
          `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms,
                               log_has_latency, created_at)
           SELECT $1, $2::timestamptz + n * interval '1 millisecond', gen_random_uuid(), 'type.' || n, 's', '{}', 'EVENT', '/events/type.' || n,
                  200, 0, false, now() FROM generate_series(1, 10000) AS n`,
          [owner.projectId, sentinel.at(sentinel.newest + bucket)],
        );
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      // The planner knows nothing of what comes next.
      await app.rows('ANALYZE');
      await types(-1);
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.detect();
      expect(app.logLines.filter((line) => line.includes('judging project'))).toEqual([]);
      const found = await sentinel.findings();
      const counted = (kind: string): number => found.filter((one: Json) => one.kind === kind).length;
      expect([counted('new_event_type'), counted('cardinality_explosion'), counted('rate_spike')]).toEqual([10, 1, 1]);
      // Learned in pieces: more than one part of series, and hours that are too much for one piece.
      await types(-DAY);
      await types(-DAY + 1);
      await types(-DAY + 2);
      await sentinel.count();
      await app.rows('UPDATE sentinel_projects SET profiled_until = NULL');
      await sentinel.watchFrom(0);
      const trainings = app.nest.get(TrainingHistoryRepository, { strict: false });
      const advanced = jest.spyOn(trainings, 'advance');
      const dying = jest.spyOn(app.nest.get(SeriesProfilesRepository, { strict: false }), 'put');
      dying.mockImplementationOnce(() => Promise.reject(new Error('the connection is gone')));
      await sentinel.detect();
      expect(await app.rows('SELECT FROM sentinel_projects WHERE profiled_until IS NULL')).toHaveLength(1);
      const read = advanced.mock.calls.map(([{ readFrom }]) => readFrom);
      expect(read.length).toBeGreaterThan(1);
      // It goes on where it was, and others have their turns in between.
      const other = await ownerWithProject(app);
      const others = sentinel.of(other);
      await others.put(-4 * DAY, 0, { events: 5 });
      await others.count();
      await others.watchFrom(0);
      advanced.mockClear();
      const turns: string[] = [];
      jest.spyOn(projects, 'letOthers').mockImplementation((project, tx) => {
        turns.push(project.projectId);
        return WatchedProjectsRepository.prototype.letOthers.call(projects, project, tx);
      });
      jest.spyOn(projects, 'advance').mockImplementation((project, tx) => {
        turns.push(project.projectId);
        return WatchedProjectsRepository.prototype.advance.call(projects, project, tx);
      });
      await app.rows('UPDATE sentinel_projects SET due_at = now()');
      await sentinel.detect();
      expect(advanced.mock.calls.filter(([{ learned }]) => learned === 0)).toEqual([]);
      jest.restoreAllMocks();
      expect(turns.indexOf(other.projectId)).toBeLessThanOrEqual(1);
      expect(turns.at(-1)).toBe(owner.projectId);
      expect((await sentinel.overview()).coverage).toEqual({ series: 201, learning: 199 });
      expect(await app.rows('SELECT FROM sentinel_lessons')).toEqual([]);
    });

    it('is evaluated by the two hours of the week it lies in, as the whole profile has them', async () => {
      await history({ events: 5, latencyMs: 20 }, [{}], 8);
      const profiles = app.nest.get(SeriesProfilesRepository, { strict: false });
      const { db } = app.nest.get(Database, { strict: false });
      const names = [{ type: 'project', value: null } as const];
      const [whole] = await profiles.whole(asProjectId(owner.projectId), names, db);
      for (let hour = 0; hour < 168; hour++) {
        const near = (await profiles.near(asProjectId(owner.projectId), hour * 12 + 11, db)).find(
          ({ series }) => series.type === 'project',
        );
        for (const figure of ['high', 'low', 'flow', 'spread', 'seen', 'latency'] as const) {
          for (const bucket of [hour * 12, hour * 12 + 12]) {
            expect(near && usualAt(near.profile, figure, bucket)).toBe(whole && usualAt(whole.profile, figure, bucket));
          }
        }
        expect(near?.profile).toMatchObject({ since: whole?.profile.since, total: whole?.profile.total });
        expect(() => near && usualAt(near.profile, 'high', hour * 12 + 24)).toThrow(RangeError);
      }
    });

    it('is of its project alone, though both are evaluated in one round', async () => {
      const other = await ownerWithProject(app);
      const others = sentinel.of(other);
      await others.put(-4 * DAY, 0, { events: 60 });
      await others.count();
      await others.watchFrom(0);
      await history({ events: 5 }, [{ events: 60 }]);
      expect(await kinds()).toEqual(['rate_spike project warning']);
      expect(await others.findings()).toEqual([]);
      expect(await others.overview()).toMatchObject({ open_findings: { total: 0 } });
      const [{ id }] = await sentinel.findings();
      for (const act of ['acknowledge', 'dismiss'] as const) {
        const { status, body } = await sentinel.act(id, act, { reason: 'wrong' }, other);
        expect([status, body.detail]).toEqual([404, 'Finding not found']);
      }
    });
  });

  it('tells each row of the table from both sides, from what was ingested over HTTP to the signed webhook', async () => {
    interface Sent {
      readonly events: number;
      readonly errors?: number;
      readonly latencyMs?: number;
      /** Event types of the bucket, of which each has one more. */
      readonly types?: number;
    }
    interface Told {
      readonly severity: string;
      /** The series' type, and what is counted of it. */
      readonly series: readonly [type: string, value: string | null, metric: string];
      /** Of what is expected it has more, or less. */
      readonly direction: 'more' | 'less' | null;
      /** The bucket that it began in, counted from the first unusual one. */
      readonly began: number;
      readonly figures: { readonly actual: unknown; readonly expected: unknown };
    }
    const project = (metric: string): Told['series'] => ['project', null, metric];
    const quiet = null;
    const rows: [
      kind: string,
      told: Told | null,
      steady: Sent,
      then: (Partial<Sent> | null)[],
      days?: readonly number[],
      isUsual?: boolean,
    ][] = [
      [
        'rate_spike',
        {
          ...{ severity: 'warning', series: project('events'), direction: 'more', began: 0 },
          figures: { actual: 50, expected: 5 },
        },
        { events: 5 },
        [{ events: 50 }],
      ],
      ['rate_spike', null, { events: 17 }, [{ events: 50 }]],
      [
        'rate_drop',
        {
          ...{ severity: 'warning', series: project('events'), direction: 'less', began: 0 },
          figures: { actual: 4, expected: 20 },
        },
        { events: 20 },
        [{ events: 4 }, { events: 4 }, { events: 4 }],
      ],
      ['rate_drop', null, { events: 20 }, [{ events: 10 }, { events: 10 }, { events: 10 }]],
      [
        'silence',
        {
          ...{ severity: 'critical', series: project('events'), direction: 'less', began: 0 },
          figures: { actual: 0, expected: 3 },
        },
        { events: 3 },
        Array.from({ length: 7 }, () => quiet),
        [],
      ],
      // As long, but silent at that hour on every day before.
      ['silence', null, { events: 3 }, Array.from({ length: 7 }, () => quiet), [], true],
      ['silence', null, { events: 10 }, [quiet, quiet], []],
      [
        'error_burst',
        {
          ...{ severity: 'critical', series: project('error_rate'), direction: 'more', began: 0 },
          figures: { actual: 0.8, expected: 0 },
        },
        { events: 25 },
        [{ errors: 20 }],
      ],
      ['error_burst', null, { events: 25 }, [{ errors: 9 }]],
      [
        'latency_shift',
        {
          ...{ severity: 'warning', series: project('p95_latency_ms'), direction: 'more', began: 0 },
          figures: { actual: 300, expected: 100 },
        },
        { events: 30, latencyMs: 100 },
        [{ latencyMs: 300 }, { latencyMs: 300 }, { latencyMs: 300 }],
      ],
      [
        'latency_shift',
        null,
        { events: 30, latencyMs: 100 },
        [{ latencyMs: 149 }, { latencyMs: 149 }, { latencyMs: 149 }],
      ],
      [
        'new_event_type',
        {
          ...{ severity: 'info', series: ['event', 'type.3', 'events'], direction: null, began: 0 },
          figures: { actual: null, expected: null },
        },
        { events: 3 },
        [{ types: 1 }],
      ],
      // Its oldest event is not 24 hours old.
      ['new_event_type', null, { events: 3 }, [{ types: 1 }], [0.9]],
      [
        'cardinality_explosion',
        {
          ...{ severity: 'warning', series: project('event_types'), direction: 'more', began: 0 },
          figures: { actual: 51, expected: 1 },
        },
        { events: 3 },
        [{ types: 50 }],
      ],
      ['cardinality_explosion', null, { events: 3 }, [{ types: 18 }]],
    ];
    const receiver = await startReceiver();
    const sender = new Sender(app.url);
    const secretOf = (index: number): string => `the-secret-of-receiver-number-${String(index).padStart(4, '0')}`;
    try {
      const found = await Promise.all(
        rows.map(async ([kind, told, steady, then, days = [1, 2, 3], isUsual = false], index) => {
          const one = await ownerWithProject(app);
          const of = sentinel.of(one);
          const hook = await alertsOf(app, one).destination(`${receiver.url}/${index}`, { secret: secretOf(index) });
          const condition = { kind: 'anomaly', finding_kinds: [kind], min_severity: told?.severity ?? 'info' };
          const rule = await rulesOf(app, one).rule({ condition, destination_ids: [hook] });
          const first = of.newest - then.length + 1;
          const [hour, behind] = [Math.floor(first / 12) * 12, Math.floor(of.newest / 12) * 12 + 12];
          const lines: object[] = [];
          const send = (bucket: number, { events, errors = 0, latencyMs, types = 0 }: Sent): void => {
            for (let place = 0; place < events + types; place++) {
              lines.push({
                event_type: place < events ? 'paid' : `type.${place}`,
                source: 'shop',
                timestamp: new Date(of.at(bucket).getTime() + place * 1_000).toISOString(),
                properties: { status_code: place < errors ? 500 : 200, ...(latencyMs && { latency_ms: latencyMs }) },
              });
            }
          };
          // The hours that are evaluated, on earlier days, and what came just before; without days, all time.
          const isSilent = (bucket: number): boolean => isUsual && (bucket + 4 * DAY - first) % DAY < then.length;
          for (let bucket = first - 3 * DAY - 24; bucket < first; bucket++) {
            if (days.length === 0 && !isSilent(bucket)) send(bucket, steady);
          }
          for (let bucket = first - 3; bucket < first; bucket++) if (days.length > 0) send(bucket, steady);
          for (const day of days) {
            for (let bucket = hour; bucket < behind; bucket++) send(bucket - Math.round(day * DAY), steady);
          }
          for (const [place, more] of then.entries()) if (more !== null) send(first + place, { ...steady, ...more });
          for (let at = 0; at < lines.length; at += 500) {
            expect((await sender.lines(one.apiKey, lines.slice(at, at + 500))).status).toBe(200);
          }
          await of.watchFrom(1 - then.length);
          return { kind, told, of, rule, first };
        }),
      );
      await sentinel.detect();
      const findings = await Promise.all(
        found.map(async ({ kind, of }) => (await of.findings(`&kind=${kind}`)).toReversed()),
      );
      const shown = findings.map((some, index) => {
        const [finding] = some;
        if (finding === undefined) return [rows[index]?.[0], null];
        const { kind, severity, series, actual, expected, started_at: startedAt } = finding;
        const direction = actual === null ? null : actual > expected ? 'more' : 'less';
        const began = Date.parse(startedAt as string) / 300_000 - (found[index]?.first ?? 0);
        return [
          kind,
          {
            ...{ severity, series: [series.type, series.value, series.metric], direction, began },
            figures: { actual, expected },
          },
        ];
      });
      expect(shown).toEqual(rows.map(([kind, told]) => [kind, told]));
      // Each is told to its own receiver, which can tell that it comes from us.
      await runAlertDeliveries(app);
      const places = rows.flatMap(([, told], index) => (told === null ? [] : [index]));
      const received = await receiver.requests(places.length);
      for (const index of places) {
        const [told, ...more] = received.filter(({ path }) => path === `/${index}`);
        if (told === undefined) throw new Error(`${rows[index]?.[0]} is told`);
        expect(more).toEqual([]);
        expect(told.headers['x-service-signature']).toBe(expectedSignature(secretOf(index), told));
        const finding = findings[index]?.[0];
        expect(JSON.parse(told.body)).toMatchObject({
          ...{ alert_rule_id: found[index]?.rule, project_id: found[index]?.of.projectId, status: 'open' },
          message: finding.summary,
          payload: { id: finding.id, kind: finding.kind, series: finding.series, actual: finding.actual },
        });
      }
      expect(receiver.received).toHaveLength(places.length);
    } finally {
      sender.close();
      await receiver.close();
    }
  });

  describe('the life of a finding', () => {
    it.each<[string, 'event' | 'source', gone: string]>([
      ['whose events are gone', 'event', `DELETE FROM events WHERE project_id = $1 AND event = 'rare'`],
      [
        'of a source whose events are gone',
        'source',
        'DELETE FROM events WHERE project_id = $1 AND source_id IS NOT NULL',
      ],
      [
        'that is none of the 200 most frequent any more',
        'event',
        `INSERT INTO events (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms,
                             log_has_latency, created_at)
         SELECT $1, now() - interval '2 days' - n * interval '1 second', gen_random_uuid(), 'often.' || n % 200, 's', '{}', 'EVENT', '/e', 200, 0,
                false, now() FROM generate_series(1, 200 * 200) AS n`,
      ],
    ])('ends after three buckets where it is of a series %s', async (_, type, gone) => {
      const sourceId = type === 'source' ? newId() : null;
      const kind = type === 'source' ? 'silence' : 'rate_spike';
      await rulesOf(app, owner).rule({ condition: { kind: 'anomaly' } });
      await sentinel.put(-4 * DAY, 0, { events: 30, event: 'other' });
      if (type === 'source') await sentinel.put(-4 * DAY, -6, { events: 7, event: 'rare', sourceId });
      for (let place = -20; type === 'event' && place >= -55 * 20; place -= 20) {
        await sentinel.put(place, place, { events: 2, event: 'rare' });
      }
      if (type === 'event') await sentinel.put(-3, -3, { events: 60, event: 'rare' });
      await sentinel.count();
      await sentinel.watchFrom(-3);
      await sentinel.detectTo(-3);
      expect((await sentinel.findings()).map(({ kind: of, series }: Json) => [of, series.type])).toEqual([
        [kind, type],
      ]);
      await app.rows(gone, [owner.projectId]);
      await sentinel.count();
      await app.rows('UPDATE sentinel_projects SET profiled_until = NULL');
      const states: unknown[] = [];
      for (const bucket of [-2, -1, 0]) {
        await sentinel.detectTo(bucket);
        states.push(...(await sentinel.findings()).map(({ status, resolved_at: at }: Json) => [status, at]));
      }
      expect(states).toEqual([
        ['open', null],
        ['open', null],
        ['resolved', sentinel.at(sentinel.newest).toISOString()],
      ]);
      const { body } = await sentinel.send('get', `/v1/alerts/events?project_id=${owner.projectId}`);
      expect(body.items.map(({ status }: Json) => status)).toEqual(['resolved']);
      const [{ id, last_seen_at: seen }] = await sentinel.findings();
      // A bucket that was not evaluated has no point.
      expect((await sentinel.finding(id)).evidence.points.at(-1)).toMatchObject({ ts: seen, is_anomalous: true });
    });

    /** A project whose spike goes on until a bucket. */
    const spiked = async (last: number): Promise<SentinelClient> => {
      const of = sentinel.of(await ownerWithProject(app));
      await of.put(-3 * DAY - 19, -8, { events: 2 });
      await of.put(-7, last, { events: 50 });
      await of.put(last + 1, 0, { events: 2 });
      await of.count();
      await of.watchFrom(-7);
      return of;
    };
    const only = async (of: SentinelClient): Promise<Json> => {
      const [finding, ...others] = await of.findings();
      expect(others).toEqual([]);
      return finding;
    };

    it('goes through every act in every state, and every state through a round', async () => {
      type Act = 'acknowledge' | 'dismiss';
      const life: [state: string, reached: Act[], act: Act, detail: string | null, then: string, later: string][] = [
        ['open', [], 'acknowledge', null, 'acknowledged', 'resolved'],
        ['acknowledged', ['acknowledge'], 'acknowledge', 'Finding is already acknowledged', 'acknowledged', 'resolved'],
        ['resolved', [], 'acknowledge', 'Finding is resolved', 'resolved', 'resolved'],
        ['dismissed', ['dismiss'], 'acknowledge', 'Finding is dismissed', 'dismissed', 'dismissed'],
        ['open', [], 'dismiss', null, 'dismissed', 'dismissed'],
        ['acknowledged', ['acknowledge'], 'dismiss', null, 'dismissed', 'dismissed'],
        ['resolved', [], 'dismiss', null, 'dismissed', 'dismissed'],
        ['dismissed', ['dismiss'], 'dismiss', 'Finding is already dismissed', 'dismissed', 'dismissed'],
      ];
      const projects = await Promise.all(life.map(([state]) => spiked(state === 'resolved' ? -6 : -3)));
      await sentinel.detectTo(-3);
      const body = { reason: 'expected', note: 'planned' };
      const acted = await Promise.all(
        life.map(async ([, reached, act], index) => {
          const of = projects[index];
          if (of === undefined) throw new Error('there is one for each');
          const { id } = await only(of);
          for (const one of reached) expect((await of.act(id, one, body)).status).toBe(200);
          const { status: state } = await only(of);
          const { status, body: answer } = await of.act(id, act, body);
          return [state, status, answer.detail ?? null, (await only(of)).status];
        }),
      );
      expect(acted).toEqual(
        life.map(([state, , , detail, then]) => [state, detail === null ? 200 : 409, detail, then]),
      );
      const acts = await app.rows<{ action: string; times: number }>(
        `SELECT action, count(*)::int AS times FROM audit_events WHERE action LIKE 'finding.%' AND project_id = ANY ($1)
         GROUP BY 1 ORDER BY 1`,
        [projects.map(({ projectId }) => projectId)],
      );
      expect(acts).toEqual([
        { action: 'finding.acknowledged', times: 3 },
        { action: 'finding.dismissed', times: 5 },
      ]);
      await app.rows('UPDATE sentinel_projects SET due_at = now()');
      await sentinel.detectTo(0);
      expect(await Promise.all(projects.map(async (of) => (await only(of)).status))).toEqual(
        life.map(([, , , , , later]) => later),
      );
    });

    it.each(['acknowledge', 'dismiss'] as const)(
      'stays consistent when a request to %s races with the round that resolves the finding',
      async (act) => {
        const projects = await Promise.all(Array.from({ length: 4 }, () => spiked(-3)));
        // The bucket that resolves it is evaluated while somebody acts.
        await sentinel.detectTo(-1);
        const ids = await Promise.all(projects.map(async (of) => (await only(of)).id as string));
        await app.rows('UPDATE sentinel_projects SET due_at = now()');
        const [, ...answers] = await Promise.all([
          sentinel.detectTo(0),
          ...projects.map((of, index) => of.act(ids[index] ?? '', act, { reason: 'expected' })),
        ]);
        const ended = await Promise.all(projects.map(only));
        for (const [index, finding] of ended.entries()) {
          const { status, body } = answers[index] ?? { status: 0, body: {} };
          if (act === 'dismiss') expect([status, finding.status]).toEqual([200, 'dismissed']);
          else if (status === 200)
            expect([finding.status, finding.acknowledged_at]).toEqual(['resolved', expect.any(String)]);
          else
            expect([body.detail, finding.status, finding.acknowledged_at]).toEqual([
              'Finding is resolved',
              'resolved',
              null,
            ]);
        }
      },
    );

    it('is kept for 90 days after it was resolved or dismissed, and as long as it goes on', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      await app.rows('DELETE FROM sentinel_findings WHERE id <> $1', [id]);
      const aged = async (name: string, status: string, days: number): Promise<void> => {
        const at = new Date(Date.now() - days * 86_400_000);
        await app.rows(
          `INSERT INTO sentinel_findings SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'series_type', 'event',
             'series_value', $2::text, 'status', $3::text, 'started_at', $4::timestamptz, 'last_seen_at', $4::timestamptz,
             'created_at', $4::timestamptz, 'updated_at', $4::timestamptz,
             'resolved_at', CASE $3 WHEN 'resolved' THEN $4::timestamptz END,
             'dismissed_at', CASE $3 WHEN 'dismissed' THEN $4::timestamptz END))).* FROM sentinel_findings f WHERE id = $1`,
          [id, name, status, at],
        );
      };
      await aged('resolved long ago', 'resolved', 91);
      await aged('dismissed long ago', 'dismissed', 91);
      await aged('open for long', 'open', 91);
      await aged('resolved', 'resolved', 89);
      await aged('dismissed', 'dismissed', 89);
      await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
      const kept = (await sentinel.findings()).map(({ series }: Json) => series.value as string | null);
      expect(new Set(kept)).toEqual(new Set([null, 'open for long', 'resolved', 'dismissed']));
    });
  });

  describe('a rule of kind anomaly', () => {
    const alerts = async (): Promise<Json[]> =>
      (await sentinel.send('get', `/v1/alerts/events?project_id=${owner.projectId}`)).body.items;
    const rule = (more: object = {}): Promise<string> =>
      rulesOf(app, owner).rule({ condition: { kind: 'anomaly' }, severity: 'critical', ...more });

    it('is told to all that it goes to, and in silence to nobody until it is over', async () => {
      const receiver = await startReceiver();
      const alerting = alertEventsOf(app, owner);
      try {
        const hooks = [
          await alertsOf(app, owner).destination(`${receiver.url}/a`),
          await alertsOf(app, owner).destination(`${receiver.url}/b`),
        ];
        const everywhere = await rule();
        const one = await rule({ destination_ids: hooks.slice(0, 1) });
        const filter = { field: 'properties.kind', op: 'eq', value: 'rate_spike' };
        const silence = await alerting.silence({ filter });
        expect([silence.status, silence.body.detail]).toEqual([201, undefined]);
        await history({ events: 50, errors: 1 }, [{ events: 500, errors: 400 }]);
        await runAlertDeliveries(app);
        const heard = (): string[] =>
          receiver.received.map(({ path, body }) => {
            const { payload, alert_rule_id: by } = JSON.parse(body);
            return `${path} ${payload.kind} ${by === everywhere ? 'everywhere' : by === one ? 'one' : ''}`;
          });
        await receiver.requests(3);
        const bursts = ['/a error_burst everywhere', '/a error_burst one', '/b error_burst everywhere'];
        expect(heard().sort()).toEqual(bursts);
        // What fired in silence is there, and is told when the silence ends.
        expect((await alerts()).map(({ payload }: Json) => payload.kind).sort()).toEqual([
          ...['error_burst', 'error_burst', 'rate_spike', 'rate_spike'],
        ]);
        expect((await alerting.http.send('delete', `/v1/alerts/silences/${silence.body.id}`)).status).toBe(204);
        await runMaintenance(app);
        await runAlertDeliveries(app);
        await receiver.requests(6);
        expect(heard().sort()).toEqual(
          [...bursts, ...bursts.map((line) => line.replace('error_burst', 'rate_spike'))].sort(),
        );
      } finally {
        await receiver.close();
      }
    });
  });
});
