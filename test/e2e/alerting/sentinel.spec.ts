import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { asProjectId } from '../../../src/modules/access/index.js';
import { HeartbeatsWriter } from '../../../src/modules/alerting/heartbeats/index.js';
import { usualAt } from '../../../src/modules/alerting/sentinel/baseline/profile.js';
import { LessonsRepository } from '../../../src/modules/alerting/sentinel/rounds/lessons.repository.js';
import { SeriesProfilesRepository } from '../../../src/modules/alerting/sentinel/rounds/series-profiles.repository.js';
import { WatchedProjectsRepository } from '../../../src/modules/alerting/sentinel/rounds/watched-projects.repository.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/ids/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
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
    // Those of the tests before would be judged along.
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
    await sentinel.judge();
  };
  const kinds = async (): Promise<string[]> =>
    (await sentinel.findings()).map(({ kind, series, severity }: Json) => `${kind} ${series.type} ${severity}`);

  describe('what is found, and what is not', () => {
    it.each<[string, Steady, (Partial<Steady> | null)[], string[]]>([
      ['a spike of ten times', { events: 5 }, [{ events: 50 }], ['rate_spike project warning']],
      ['a spike of thirty times', { events: 5 }, [{ events: 150 }], ['rate_spike project critical']],
      ['no spike below three times', { events: 20 }, [{ events: 59 }], []],
      ['no spike of fewer than fifty events', { events: 4 }, [{ events: 49 }], []],
      [
        'a drop to a fifth',
        { events: 20 },
        [{ events: 4 }, { events: 4 }, { events: 4 }],
        ['rate_drop project warning'],
      ],
      ['no drop to a half', { events: 20 }, [{ events: 10 }, { events: 10 }, { events: 10 }], []],
      ['no drop where few are expected', { events: 6 }, [{ events: 1 }, { events: 1 }, { events: 1 }], []],
      ['silence', { events: 7 }, [null, null, null], ['silence project critical']],
      ['no silence yet', { events: 7 }, [null, null], []],
      ['a burst of errors', { events: 50, errors: 1 }, [{ errors: 20 }], ['error_burst project warning']],
      ['a burst of errors in half', { events: 50, errors: 1 }, [{ errors: 25 }], ['error_burst project critical']],
      ['no burst of fewer than ten errors', { events: 9 }, [{ errors: 9 }], []],
      [
        'a shift of latency',
        { events: 30, latencyMs: 100 },
        [{ latencyMs: 300 }, { latencyMs: 300 }, { latencyMs: 300 }],
        ['latency_shift project warning'],
      ],
      [
        'no shift of latency in two buckets',
        { events: 30, latencyMs: 100 },
        [{ latencyMs: 300 }, { latencyMs: 300 }],
        [],
      ],
      [
        'no shift of latency below one and a half times',
        { events: 30, latencyMs: 200 },
        [{ latencyMs: 299 }, { latencyMs: 299 }, { latencyMs: 299 }],
        [],
      ],
      ['nothing in a steady stream', { events: 20, errors: 1, latencyMs: 80 }, [{}, {}, {}, {}], []],
    ])('%s', async (_, steady, then, found) => {
      await history(steady, then);
      expect(await kinds()).toEqual(found);
    });

    it('narrow series by their own severities, where the project as a whole is as usual', async () => {
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
      await sentinel.judge();
      const found = await sentinel.findings();
      expect(new Set(found.map((one: Json) => [one.kind, one.severity, one.series.type, one.series.value]))).toEqual(
        new Set(types.map(([kind, severity]) => [kind, severity, 'event', `${kind} ${severity}`])),
      );
    });

    it('nothing while a series learns', async () => {
      await history({ events: 5 }, [{ events: 500 }], 2);
      expect(await kinds()).toEqual([]);
      expect(await sentinel.overview()).toMatchObject({
        state: 'healthy',
        score: 100,
        coverage: { series: 2, learning: 2 },
      });
    });

    it('a type that stands out in a project that does not, and a source as the widest of its types', async () => {
      const sourceId = newId();
      await sentinel.put(-4 * DAY, 0, { events: 30, event: 'other' });
      await sentinel.put(-4 * DAY, -3, { events: 4, event: 'rare' });
      await sentinel.put(-2, -2, { events: 60, event: 'rare' });
      await sentinel.put(-1, 0, { events: 4, event: 'rare' });
      await sentinel.put(-4 * DAY, -3, { events: 8, event: 'sent', sourceId });
      await sentinel.count();
      await sentinel.watchFrom(-2);
      await sentinel.judge();
      const findings = await sentinel.findings();
      expect(findings.map(({ kind, severity, series }: Json) => [kind, severity, series.type, series.value])).toEqual([
        ['silence', 'critical', 'source', sourceId],
        ['rate_spike', 'warning', 'event', 'rare'],
      ]);
      const silence = await sentinel.finding(findings[0].id);
      expect(silence.evidence.contributors).toEqual([
        { field: 'event', value: 'sent', share: 0, usual_share: expect.closeTo(8 / 42, 2) },
      ]);
    });

    it('a new event type, once for ever and ten a day', async () => {
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      for (let index = 0; index < 12; index++) await sentinel.put(-1, 0, { events: 1, event: `new.${index}` });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.judge();
      const found = await sentinel.findings('&kind=new_event_type');
      expect(new Set(found.map(({ series }: Json) => series.value)).size).toBe(10);
      expect(found[0]).toMatchObject({ severity: 'info', actual: null, expected: null, series: { type: 'event' } });
      const { evidence } = await sentinel.finding(found[0].id);
      expect(evidence.sample_event_ids).toHaveLength(1);
      // There is nothing that it was compared with.
      expect(evidence).toMatchObject({ interval_seconds: 300, points: [], contributors: [], baseline: { samples: 0 } });
    });

    it.each([
      ['event_types', (index: number) => ({ events: 1, event: `many.${index}` })],
      ['endpoints', (index: number) => ({ events: 1, event: 'paid', endpoint: `/e/${index}` })],
    ])('more distinct %s than in any hour of a week', async (metric, one) => {
      await sentinel.put(-4 * DAY, 0, { events: 5, endpoint: '/pay' });
      for (let index = 0; index < 60; index++) await sentinel.put(0, 0, one(index));
      await sentinel.count();
      await sentinel.watchFrom(0);
      await sentinel.judge();
      const [finding] = await sentinel.findings('&kind=cardinality_explosion');
      expect(finding.series).toEqual({ type: 'project', value: null, metric });
      const { evidence } = await sentinel.finding(finding.id);
      expect(evidence.interval_seconds).toBe(3_600);
      const points: Json[] = evidence.points;
      expect(points.pop()).toEqual({
        ts: finding.started_at,
        actual: 61,
        expected: 1,
        lower: 0,
        upper: 20,
        is_anomalous: true,
      });
      // The hours of a day before the one that was judged.
      const judged = Date.parse(finding.started_at) - 55 * 60_000;
      const last = judged - (judged % 3_600_000);
      expect(points).toEqual(
        Array.from({ length: 24 }, (_, hour) => ({
          ts: new Date(last - (24 - hour) * 3_600_000).toISOString(),
          ...{ actual: 1, expected: null, lower: null, upper: null, is_anomalous: false },
        })),
      );
      expect(evidence.sample_event_ids).toHaveLength(5);
    });
  });

  describe('what comes when and how it likes', () => {
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

    it('is judged alike in any order of arrival and at any times of rounds', async () => {
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
          await atOnce.judge();
          for (const place of places) {
            await put(apart, place);
            await apart.count();
            if (place === first) await apart.watchFrom(first);
            await apart.judgeTo(place);
          }
          expect(await told(apart)).toEqual(await told(atOnce));
        }),
        { numRuns: Number(process.env.SENTINEL_RUNS ?? 3) },
      );
    });

    it('is usual from then on where it comes late by days, and changes nothing that was told', async () => {
      await sentinel.put(0, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.judge();
      expect(await kinds()).toEqual([]);
      await sentinel.put(-4 * DAY, -1, { events: 5 });
      // From the future.
      await sentinel.put(2, 20, { events: 400 });
      await sentinel.count();
      await sentinel.judge();
      expect(await kinds()).toEqual([]);
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect(await kinds()).toEqual(['rate_spike project warning']);
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
      await sentinel.judge();
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
      await sentinel.judge();
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
      const lessons = app.nest.get(LessonsRepository, { strict: false });
      const advanced = jest.spyOn(lessons, 'advance');
      const dying = jest.spyOn(app.nest.get(SeriesProfilesRepository, { strict: false }), 'put');
      dying.mockImplementationOnce(() => Promise.reject(new Error('the connection is gone')));
      await sentinel.judge();
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
      await sentinel.judge();
      expect(advanced.mock.calls.filter(([{ learned }]) => learned === 0)).toEqual([]);
      jest.restoreAllMocks();
      expect(turns.indexOf(other.projectId)).toBeLessThanOrEqual(1);
      expect(turns.at(-1)).toBe(owner.projectId);
      expect((await sentinel.overview()).coverage).toEqual({ series: 201, learning: 199 });
      expect(await app.rows('SELECT FROM sentinel_lessons')).toEqual([]);
    });

    it('is judged by the two hours of the week it lies in, as the whole profile has them', async () => {
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

    it('is of its project alone, though both are judged in one round', async () => {
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

    it('ends with the project: archived, restored and deleted in the middle of a bucket that is judged', async () => {
      const project = `/v1/projects/${owner.projectId}`;
      const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
      const watched = (): Promise<Json[]> =>
        app.rows('SELECT project_id FROM sentinel_projects WHERE project_id = $1', [owner.projectId]);
      const isWaiting = async (): Promise<boolean> =>
        (await app.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
          .length > 0;
      /** The act is done, or waits for the round, when findings are written and the bucket is not yet said to be judged. */
      const inside = async (act: () => Promise<{ status: number }>): Promise<number> => {
        let answer: Promise<{ status: number }> | undefined;
        const stopped = jest.spyOn(projects, 'advance').mockImplementationOnce(async (watching, tx) => {
          let isDone = false;
          answer = act().finally(() => (isDone = true));
          await eventually(async () => isDone || (await isWaiting()), Boolean);
          await WatchedProjectsRepository.prototype.advance.call(projects, watching, tx);
        });
        await sentinel.judge();
        stopped.mockRestore();
        if (answer === undefined) throw new Error('a bucket is judged');
        return (await answer).status;
      };
      await rulesOf(app, owner).rule({ condition: { kind: 'anomaly' } });
      await sentinel.put(-4 * DAY, -4, { events: 5 });
      await sentinel.put(-3, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-3);
      expect(await inside(() => sentinel.send('post', `${project}/archive`))).toBe(200);
      // The bucket at hand was still judged, and none after it.
      const [finding, ...others] = await sentinel.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ status: 'open', last_seen_at: sentinel.at(sentinel.newest - 3).toISOString() });
      await sentinel.judge();
      expect(await watched()).toEqual([]);
      expect(await sentinel.findings()).toMatchObject([{ id: finding.id, last_seen_at: finding.last_seen_at }]);
      expect((await sentinel.send('post', `${project}/restore`)).status).toBe(200);
      await sentinel.watchFrom(-1);
      // Archived and restored while one bucket is judged: it is watched on.
      const both = async (): Promise<{ status: number }> => {
        expect((await sentinel.send('post', `${project}/archive`)).status).toBe(200);
        return sentinel.send('post', `${project}/restore`);
      };
      expect(await inside(both)).toBe(200);
      expect(await watched()).toHaveLength(1);
      expect(await sentinel.findings()).toMatchObject([
        { id: finding.id, last_seen_at: sentinel.at(sentinel.newest).toISOString() },
      ]);
      await sentinel.watchFrom(-1);
      const remove = (): Promise<{ status: number }> =>
        app
          .request()
          .delete(project)
          .set('Authorization', owner.bearer)
          .then((answer) => answer);
      expect((await sentinel.send('post', `${project}/archive`)).status).toBe(200);
      await sentinel.judge();
      expect(await watched()).toEqual([]);
      expect((await sentinel.send('post', `${project}/restore`)).status).toBe(200);
      await sentinel.watchFrom(-1);
      const archiveAndRemove = async (): Promise<{ status: number }> => {
        expect((await sentinel.send('post', `${project}/archive`)).status).toBe(200);
        return remove();
      };
      expect([200, 202, 204]).toContain(await inside(archiveAndRemove));
      const gone = await sentinel.send('get', `/v1/sentinel/findings?project_id=${owner.projectId}`);
      expect([gone.status, gone.body.detail]).toEqual([404, 'Project not found']);
      await sentinel.judge();
      expect(app.logLines.filter((line) => line.includes('judging project'))).toEqual([]);
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
          // The hours that are judged, on earlier days, and what came just before; without days, all time.
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
      await sentinel.judge();
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
    it('is extended, ends after three normal buckets and is taken up again within half an hour', async () => {
      const spike = { events: 60 };
      await history({ events: 5 }, [spike, spike, {}, {}, {}, {}, spike]);
      const [finding, ...others] = await sentinel.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({
        status: 'open',
        started_at: sentinel.at(sentinel.newest - 6).toISOString(),
        last_seen_at: sentinel.at(sentinel.newest).toISOString(),
        actual: 60,
        expected: 5,
        resolved_at: null,
      });
      const { evidence } = await sentinel.finding(finding.id);
      expect(evidence.points).toHaveLength(24 + 7);
      expect(evidence.points.slice(23).map(({ is_anomalous: isAnomalous }: Json) => isAnomalous)).toEqual([
        false,
        true,
        true,
        false,
        false,
        false,
        false,
        true,
      ]);
      expect(evidence.points[0]).toMatchObject({ actual: 5, expected: null, lower: null, upper: null });
      expect(evidence.sample_event_ids).toHaveLength(5);
    });

    it('is acknowledged again where it is taken up again, if it was', async () => {
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      await sentinel.put(-6, -6, { events: 55 });
      await sentinel.put(0, 0, { events: 55 });
      await sentinel.count();
      await sentinel.watchFrom(-6);
      await sentinel.judgeTo(-6);
      const [{ id }] = await sentinel.findings();
      await sentinel.act(id, 'acknowledge');
      const states: unknown[] = [];
      for (const bucket of [-1, 0]) {
        await sentinel.judgeTo(bucket);
        states.push(...(await sentinel.findings()).map(({ status, resolved_at: at }: Json) => [status, at !== null]));
      }
      expect(states).toEqual([
        ['resolved', true],
        ['acknowledged', false],
      ]);
    });

    it('ends by itself, and a later one is another', async () => {
      await history({ events: 5 }, [{ events: 60 }, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, { events: 60 }]);
      const findings = await sentinel.findings();
      expect(findings.map(({ status }: Json) => status)).toEqual(['open', 'resolved']);
      expect(findings[1].resolved_at).toBe(sentinel.at(sentinel.newest - 8).toISOString());
    });

    it('ends after three normal buckets that were judged, however many were left out before them', async () => {
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      await sentinel.put(-20, -20, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-20);
      await sentinel.judgeTo(-20);
      await sentinel.watchFrom(-4);
      const states: string[] = [];
      for (const bucket of [-4, -3, -2]) {
        await sentinel.judgeTo(bucket);
        states.push(...(await sentinel.findings()).map(({ status }: Json) => status as string));
      }
      expect(states).toEqual(['open', 'open', 'resolved']);
      const [{ id, resolved_at: resolvedAt }] = await sentinel.findings();
      expect(resolvedAt).toBe(sentinel.at(sentinel.newest - 2).toISOString());
      // They lie more than twelve buckets behind what they ended.
      const { evidence } = await sentinel.finding(id);
      expect(evidence.points.at(-1).ts).toBe(sentinel.at(sentinel.newest - 20).toISOString());
    });

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
      await sentinel.judgeTo(-3);
      expect((await sentinel.findings()).map(({ kind: of, series }: Json) => [of, series.type])).toEqual([
        [kind, type],
      ]);
      await app.rows(gone, [owner.projectId]);
      await sentinel.count();
      await app.rows('UPDATE sentinel_projects SET profiled_until = NULL');
      const states: unknown[] = [];
      for (const bucket of [-2, -1, 0]) {
        await sentinel.judgeTo(bucket);
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
      // A bucket that was not judged has no point.
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
      await sentinel.judgeTo(-3);
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
      await sentinel.judgeTo(0);
      expect(await Promise.all(projects.map(async (of) => (await only(of)).status))).toEqual(
        life.map(([, , , , , later]) => later),
      );
    });

    it.each(['acknowledge', 'dismiss'] as const)('%s and a round that ends it agree', async (act) => {
      const projects = await Promise.all(Array.from({ length: 4 }, () => spiked(-3)));
      // The bucket that resolves it is judged while somebody acts.
      await sentinel.judgeTo(-1);
      const ids = await Promise.all(projects.map(async (of) => (await only(of)).id as string));
      await app.rows('UPDATE sentinel_projects SET due_at = now()');
      const [, ...answers] = await Promise.all([
        sentinel.judgeTo(0),
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
    });

    it('mutes its kind and series when it is dismissed, and raises their bounds', async () => {
      const spike = { events: 60 };
      await history({ events: 5 }, [spike, spike]);
      const [{ id }] = await sentinel.findings();
      await sentinel.act(id, 'dismiss', { reason: 'wrong' }).then((answer) => expect(answer.status).toBe(200));
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect((await sentinel.findings()).map(({ status }: Json) => status)).toEqual(['dismissed']);
      await app.rows(
        `UPDATE sentinel_feedback SET muted_until = now() - interval '1 day', raised_at = ARRAY[now() - interval '1 day']`,
      );
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect(await sentinel.findings('&status=open')).toEqual([]);
      await app.rows(`UPDATE sentinel_feedback SET raised_at = ARRAY[now() - interval '31 days']`);
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect(await sentinel.findings('&status=open')).toHaveLength(1);
    });

    it('is another in the next bucket where the dismissal mutes for no time, and none before its mute has ended', async () => {
      await sentinel.put(-4 * DAY, -3, { events: 5 });
      await sentinel.put(-2, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-2);
      await sentinel.judgeTo(-2);
      const statuses = async (): Promise<string[]> =>
        (await sentinel.findings()).map(({ status }: Json) => status as string);
      const dismiss = async (hours: number): Promise<void> => {
        const [{ id }] = await sentinel.findings();
        const { status } = await sentinel.act(id, 'dismiss', { reason: 'expected', mute_hours: hours });
        expect(status).toBe(200);
      };
      await dismiss(0);
      await sentinel.judgeTo(-1);
      expect(await statuses()).toEqual(['open', 'dismissed']);
      await dismiss(1);
      const mutedUntil = async (bucket: number, seconds: number): Promise<string[]> => {
        await app.rows(`UPDATE sentinel_feedback SET muted_until = $1::timestamptz + make_interval(secs => $2)`, [
          sentinel.at(sentinel.newest + bucket),
          seconds,
        ]);
        await sentinel.watchFrom(0);
        await sentinel.judgeTo(0);
        return statuses();
      };
      expect(await mutedUntil(1, 0)).toEqual(['dismissed', 'dismissed']);
      expect(await mutedUntil(0, 299)).toEqual(['open', 'dismissed', 'dismissed']);
    });

    it('leaves what it says of a kind and series to its reason, and raises three times at most', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const said: unknown[] = [];
      for (const [reason, hours] of [
        ['expected', 24],
        ['wrong', 0],
        ['not_useful', 720],
        ['wrong', 1],
        ['not_useful', 1],
        ['expected', 2],
      ] as const) {
        await app.rows(
          `UPDATE sentinel_findings SET status = 'open', dismissed_at = NULL, dismissed_by = NULL WHERE project_id = $1`,
          [owner.projectId],
        );
        const [{ id }] = await sentinel.findings();
        expect((await sentinel.act(id, 'dismiss', { reason, mute_hours: hours })).status).toBe(200);
        said.push(
          ...(await app.rows(
            `SELECT f.kind, cardinality(f.raised_at) AS raises, (extract(epoch FROM f.muted_until - d.dismissed_at) / 3600)::int AS hours
             FROM sentinel_feedback f JOIN sentinel_findings d USING (project_id, kind) WHERE project_id = $1`,
            [owner.projectId],
          )),
        );
      }
      const kind = 'rate_spike';
      expect(said).toEqual([
        { kind, raises: 0, hours: 24 },
        { kind, raises: 1, hours: null },
        { kind, raises: 2, hours: 720 },
        { kind, raises: 3, hours: 1 },
        { kind, raises: 3, hours: 1 },
        { kind, raises: 3, hours: 2 },
      ]);
    });

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

    it('is acted on once by many at a time', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          sentinel.act(id, index % 2 === 0 ? 'dismiss' : 'acknowledge', { reason: 'expected' }),
        ),
      );
      const codes = answers.map(({ status }) => status);
      expect(codes.every((code) => code === 200 || code === 409)).toBe(true);
      expect(codes.filter((code, index) => code === 200 && index % 2 === 0)).toHaveLength(1);
      expect((await sentinel.finding(id)).status).toBe('dismissed');
    });

    it('is one, whoever judges at the same time', async () => {
      await sentinel.put(-4 * DAY, -2, { events: 5 });
      await sentinel.put(-1, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await Promise.all([sentinel.judge(), sentinel.judge(), sentinel.judge()]);
      expect(await kinds()).toEqual(['rate_spike project warning']);
      expect(await app.rows('SELECT judged_until FROM sentinel_projects')).toEqual([
        { judged_until: sentinel.at(sentinel.newest + 1) },
      ]);
    });
  });

  describe('a rule of kind anomaly', () => {
    const alerts = async (): Promise<Json[]> =>
      (await sentinel.send('get', `/v1/alerts/events?project_id=${owner.projectId}`)).body.items;
    const shown = async (): Promise<unknown[]> =>
      (await alerts()).map(({ status, occurrences, severity, event_type: type }: Json) => [
        status,
        occurrences,
        severity,
        type,
      ]);
    const rule = (more: object = {}): Promise<string> =>
      rulesOf(app, owner).rule({ condition: { kind: 'anomaly' }, severity: 'critical', ...more });

    it('fires by a finding, again where it opens again, and recovers with it', async () => {
      await sentinel.put(-4 * DAY, -9, { events: 5 });
      for (let bucket = -8; bucket <= 0; bucket++) {
        await sentinel.put(bucket, bucket, { events: [-8, -7, -3].includes(bucket) ? 60 : 5 });
      }
      await sentinel.count();
      const id = await rule();
      await sentinel.watchFrom(-8);
      await sentinel.judge();
      const [finding] = await sentinel.findings();
      expect(finding.status).toBe('resolved');
      expect(await shown()).toEqual([
        ['resolved', 1, 'critical', null],
        ['resolved', 1, 'critical', null],
      ]);
      const [alert] = await alerts();
      expect(alert).toMatchObject({ alert_rule_id: id, message: finding.summary, event_id: null });
      expect(alert.payload).toMatchObject({ id: finding.id, kind: 'rate_spike', status: 'open', actual: 60 });
      expect(await rulesOf(app, owner).get(id)).toMatchObject({ state: 'inactive', group_by: [] });
      const { body } = await rulesOf(app, owner).backtest(id);
      expect(body).toMatchObject({ evaluations: 1, step_seconds: null, truncated: false });
      expect(body.firings).toMatchObject([{ at: finding.started_at, until: finding.resolved_at, event_id: null }]);
    });

    it('fires for what fits alone, and after its time', async () => {
      await rule({ condition: { kind: 'anomaly', finding_kinds: ['silence'] } });
      await rule({ condition: { kind: 'anomaly', min_severity: 'critical' } });
      await rule({ condition: { kind: 'anomaly', all: [{ field: 'actual', op: 'gt', value: 60 }] } });
      await rule({ is_enabled: false });
      const later = await rule({ for_seconds: 600 });
      await history({ events: 5 }, [{ events: 60 }]);
      expect(await alerts()).toEqual([]);
      expect(await rulesOf(app, owner).get(later)).toMatchObject({ state: 'pending' });
      await sentinel.put(0, 0, { events: 60 });
      await sentinel.count();
      await app.rows("UPDATE sentinel_findings SET started_at = started_at - interval '10 minutes'");
      await app.rows('DELETE FROM alert_rule_series');
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect((await alerts()).map(({ alert_rule_id: id }: Json) => id)).toContain(later);
      expect(await rulesOf(app, owner).get(later)).toMatchObject({ state: 'firing' });
    });

    it('fires for a severity that its finding reaches later, whose figures are those of the worst bucket', async () => {
      const critical = await rule({ condition: { kind: 'anomaly', min_severity: 'critical' } });
      // Nothing fails usually, so that the first failures are as far from it as a score tells.
      await sentinel.put(-4 * DAY, -2, { events: 30 });
      await sentinel.put(-1, -1, { events: 80, errors: 20 });
      await sentinel.put(0, 0, { events: 80, errors: 80 });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.judgeTo(-1);
      const [before] = await sentinel.findings();
      expect(before).toMatchObject({ kind: 'error_burst', severity: 'warning', score: 1, actual: 0.25 });
      expect(await alerts()).toEqual([]);
      await sentinel.judgeTo(0);
      const [finding, ...others] = await sentinel.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ id: before.id, severity: 'critical', score: 1, actual: 1, expected: 0 });
      expect(finding.summary).toContain('100 %');
      expect((await alerts()).map(({ alert_rule_id: id, payload }: Json) => [id, payload.severity])).toEqual([
        [critical, 'critical'],
      ]);
    });

    it('fires for a new event type after its time, while the type is new', async () => {
      const condition = { kind: 'anomaly', finding_kinds: ['new_event_type'], min_severity: 'info' };
      const [later, never] = [
        await rule({ condition, for_seconds: 600 }),
        await rule({ condition, for_seconds: 86_400 }),
      ];
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      await sentinel.put(-3, -3, { events: 1, event: 'refunded' });
      await sentinel.count();
      await sentinel.watchFrom(-3);
      await sentinel.judgeTo(-3);
      const states = async (): Promise<unknown[]> =>
        Promise.all([later, never].map(async (id) => (await rulesOf(app, owner).get(id)).state as unknown));
      expect([await states(), await alerts()]).toEqual([['pending', 'pending'], []]);
      await sentinel.judgeTo(0);
      expect(await states()).toEqual(['firing', 'pending']);
      const [finding] = await sentinel.findings();
      expect(await alerts()).toMatchObject([
        { alert_rule_id: later, event_type: 'refunded', occurrences: 1, message: finding.summary, status: 'open' },
      ]);
      expect(finding).toMatchObject({ last_seen_at: finding.started_at, status: 'open' });
      // A day later it is new no more.
      await app.rows(
        `UPDATE sentinel_findings SET started_at = started_at - interval '1 day', last_seen_at = last_seen_at - interval '1 day'
         WHERE id = $1`,
        [finding.id],
      );
      await sentinel.put(0, 0, { events: 1, event: 'refunded' });
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect((await sentinel.findings()).map(({ status }: Json) => status)).toEqual(['resolved']);
      expect(await states()).toEqual(['inactive', 'inactive']);
      expect((await alerts()).map(({ status }: Json) => status)).toEqual(['resolved']);
    });

    it('is back-tested by the findings of the window that fit it', async () => {
      const hour = 3_600_000;
      const now = Date.now();
      const findings: [
        kind: string,
        severity: string,
        series: string,
        value: string,
        actual: number | null,
        hoursAgo: number,
        buckets: number,
        ended: string | null,
      ][] = [
        ['rate_spike', 'warning', 'project', '', 60, 6, 3, 'resolved_at'],
        ['silence', 'critical', 'event', 'paid', 0, 5, 12, null],
        ['new_event_type', 'info', 'event', 'sent', null, 4, 0, null],
        ['error_burst', 'warning', 'source', newId(), 0.5, 3, 0, 'dismissed_at'],
        // Before the window.
        ['rate_drop', 'critical', 'project', '', 0, 30, 3, 'resolved_at'],
      ];
      for (const [kind, severity, type, value, actual, hoursAgo, buckets, ended] of findings) {
        const startedAt = now - hoursAgo * hour;
        const lastSeenAt = startedAt + buckets * 300_000;
        const status = ended === null ? 'open' : ended.replace('_at', '');
        await app.rows(
          `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title, summary,
                                          actual, expected, started_at, detected_at, last_seen_at, ${ended ?? 'acknowledged_at'}, evidence)
           VALUES ($1, $2, $3, $4, $5, 'events', $6, $7, 1, $3, $3, $8, 5, $9, $9, $10, $11, '{}')`,
          [
            ...[newId(), owner.projectId, kind, type, value, status, severity, actual],
            ...[new Date(startedAt), new Date(lastSeenAt), ended === null ? null : new Date(lastSeenAt + 900_000)],
          ],
        );
      }
      const condition = { kind: 'anomaly' };
      const all = { ...condition, min_severity: 'info' };
      const rows: [what: string, rule: object, fired: string[]][] = [
        ['warnings without a word', { condition }, ['rate_spike', 'silence', 'error_burst']],
        ['all', { condition: all }, ['rate_spike', 'silence', 'new_event_type', 'error_burst']],
        ['the critical', { condition: { ...condition, min_severity: 'critical' } }, ['silence']],
        [
          'kinds',
          { condition: { ...all, finding_kinds: ['new_event_type', 'silence'] } },
          ['silence', 'new_event_type'],
        ],
        [
          'a filter',
          { condition: { ...all, all: [{ field: 'actual', op: 'gt', value: 0.2 }] } },
          ['rate_spike', 'error_burst'],
        ],
        [
          'none of a type',
          { condition: { ...all, not: { field: 'series_type', op: 'eq', value: 'event' } } },
          ['rate_spike', 'error_burst'],
        ],
        ['a time that few last for', { condition: all, for_seconds: 900 }, ['rate_spike', 'silence']],
      ];
      const window = { from_ts: new Date(now - 24 * hour).toISOString(), to_ts: new Date(now).toISOString() };
      const told = await Promise.all(
        rows.map(async ([what, given]) => {
          const { status, body } = await rulesOf(app, owner).backtest(await rule(given), window);
          expect([status, body.truncated]).toEqual([200, false]);
          return [what, body.firings.map((one: Json) => one.reason)];
        }),
      );
      expect(told).toEqual(rows.map(([what, , fired]) => [what, fired]));
      const { body } = await rulesOf(app, owner).backtest(await rule({ condition: all, for_seconds: 900 }), window);
      expect(body.firings.map(({ at, until }: Json) => [at, until])).toEqual([
        [new Date(now - 6 * hour + 900_000).toISOString(), new Date(now - 6 * hour + 1_800_000).toISOString()],
        [new Date(now - 5 * hour + 900_000).toISOString(), null],
      ]);
    });

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

    it('is as the guide has it', async () => {
      const guide = readFileSync('docs/guide/sentinel.md', 'utf8');
      const example = (name: string): object =>
        JSON.parse(new RegExp('```json ' + name + '\\n([\\s\\S]*?)```').exec(guide)?.[1] ?? '') as object;
      await rule({ condition: example('rule') });
      await history({ events: 7 }, [null, null, null]);
      expect(await shown()).toEqual([['open', 1, 'critical', null]]);
      const [{ id }] = await sentinel.findings();
      expect((await sentinel.act(id, 'dismiss', example('dismiss'))).body).toMatchObject({ status: 'dismissed' });
    });

    it('fires once, and its finding is one, where a round dies behind them', async () => {
      await rule();
      await sentinel.put(-4 * DAY, -1, { events: 5 });
      await sentinel.put(0, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(0);
      const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
      const dying = jest.spyOn(projects, 'advance').mockRejectedValueOnce(new Error('the connection is gone'));
      await sentinel.judge();
      expect(dying).toHaveBeenCalledTimes(1);
      expect([await sentinel.findings(), await alerts()]).toEqual([[], []]);
      await app.rows('UPDATE sentinel_projects SET due_at = now()');
      await sentinel.judge();
      await sentinel.judge();
      expect(await kinds()).toEqual(['rate_spike project warning']);
      expect(await shown()).toEqual([['open', 1, 'critical', null]]);
    });

    it('recovers when its finding is dismissed', async () => {
      await rule();
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      expect(await shown()).toEqual([['open', 1, 'critical', null]]);
      await sentinel.act(id, 'dismiss', { reason: 'expected' });
      expect(await shown()).toEqual([['resolved', 1, 'critical', null]]);
    });
  });

  describe('what people read', () => {
    it('is filtered, paged and of their project alone', async () => {
      await history({ events: 50, errors: 1 }, [{ events: 500, errors: 400 }]);
      expect((await sentinel.findings()).length).toBe(2);
      expect((await sentinel.findings('&kind=rate_spike&kind=silence')).map(({ kind }: Json) => kind)).toEqual([
        'rate_spike',
      ]);
      expect(await sentinel.findings('&severity=info')).toEqual([]);
      expect(await sentinel.findings('&series_value=paid')).toEqual([]);
      expect(await sentinel.findings(`&to_ts=${sentinel.at(sentinel.newest).toISOString()}`)).toEqual([]);
      const viewer = await addMember(app, owner, 'viewer');
      const stranger = await ownerWithProject(app);
      const [{ id }] = await sentinel.findings();
      expect((await sentinel.send('get', `/v1/sentinel/findings/${id}`, undefined, viewer)).status).toBe(200);
      expect((await sentinel.act(id, 'acknowledge', {}, viewer)).status).toBe(403);
      const refused = await sentinel.send('get', `/v1/sentinel/findings/${id}`, undefined, stranger);
      expect([refused.status, refused.body.detail]).toEqual([404, 'Finding not found']);
      expect(await sentinel.overview()).toMatchObject({
        state: 'critical',
        score: 100 - 40 - 15,
        open_findings: { total: 2, critical: 1, warning: 1, info: 0 },
        evaluated_until: sentinel.at(sentinel.newest + 1).toISOString(),
      });
    });

    it('comes in pages, in one order whatever began at once', async () => {
      await app.rows(
        `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title, summary,
                                        started_at, detected_at, last_seen_at, resolved_at, evidence)
         SELECT gen_random_uuid(), p.id, 'rate_spike', 'event', 'type.' || n, 'events', 'resolved', 'warning', 0.5, 'A spike', 'A spike', at, at, at, at,
                '{}' FROM unnest($1::uuid[]) AS p (id), (SELECT n, now() - (n / 10) * interval '1 hour' AS at FROM generate_series(0, 59) n) f`,
        [[owner.projectId, (await ownerWithProject(app)).projectId]],
      );
      const page = async (query: string): Promise<Json> =>
        (await sentinel.send('get', `/v1/sentinel/findings?project_id=${owner.projectId}${query}`)).body;
      const whole = await page('&limit=100');
      expect([whole.items.length, whole.total, whole.limit, whole.offset]).toEqual([60, 60, 100, 0]);
      const begun = whole.items.map((one: Json) => one.started_at as string);
      expect(begun).toEqual(begun.toSorted().reverse());
      const [first, second, third, behind] = [
        await page(''),
        await page('&offset=25'),
        await page('&offset=50'),
        await page('&offset=60'),
      ];
      expect([first, second, third, behind].map((one) => [one.items.length, one.total, one.limit, one.offset])).toEqual(
        [
          [25, 60, 25, 0],
          [25, 60, 25, 25],
          [10, 60, 25, 50],
          [0, 60, 25, 60],
        ],
      );
      expect([first, second, third].flatMap(({ items }) => items)).toEqual(whole.items);
      const [, middle] = [...new Set<string>(begun)];
      const some = await page(
        `&from_ts=${begun.at(-1)}&to_ts=${middle}&limit=1&status=resolved&status=open&severity=warning&kind=rate_spike`,
      );
      expect([some.items.length, some.total]).toEqual([1, 40]);
      expect(await page('&series_value=type.7')).toMatchObject({ total: 1, items: [{ series: { value: 'type.7' } }] });
    });

    it('is summed up: learning, by severity and who is at it, and what was dismissed lately', async () => {
      const none = { total: 0, critical: 0, warning: 0, info: 0 };
      const learning = { state: 'learning', score: null, open_findings: none, findings: [], evaluated_until: null };
      expect(await sentinel.overview()).toMatchObject({ ...learning, coverage: { series: 0, learning: 0 } });
      await sentinel.put(0, 0, { events: 1 });
      await sentinel.count();
      await sentinel.judge();
      const until = sentinel.at(sentinel.newest + 1).toISOString();
      expect(await sentinel.overview()).toMatchObject({ ...learning, evaluated_until: until });
      await app.rows('DELETE FROM sentinel_projects');
      await history({ events: 50, errors: 1 }, [{ events: 500, errors: 400 }]);
      const [first, second] = (await sentinel.overview()).findings;
      expect([first, second].map(({ kind, severity }: Json) => [kind, severity])).toEqual([
        ['error_burst', 'critical'],
        ['rate_spike', 'warning'],
      ]);
      await sentinel.act(first.id, 'acknowledge');
      expect(await sentinel.overview()).toMatchObject({
        ...{ state: 'degraded', score: 65, open_findings: { total: 2, critical: 1, warning: 1, info: 0 } },
        findings: [{ id: first.id, status: 'acknowledged' }, { id: second.id }],
      });
      await sentinel.act(second.id, 'acknowledge');
      // Half of 55 is lost, and rounded.
      expect(await sentinel.overview()).toMatchObject({ state: 'degraded', score: 73 });
      // It began before the seven days in which it was dismissed.
      await app.rows(`UPDATE sentinel_findings SET started_at = now() - interval '8 days' WHERE id = $1`, [first.id]);
      await sentinel.act(first.id, 'dismiss', { reason: 'wrong' });
      const { score, state, detectors } = await sentinel.overview();
      expect([score, state]).toEqual([93, 'healthy']);
      const counted = detectors.filter((one: Json) => one.findings_7d > 0 || one.dismissed_7d > 0);
      expect(new Set(counted)).toEqual(
        new Set([
          { kind: 'rate_spike', findings_7d: 1, dismissed_7d: 0 },
          { kind: 'error_burst', findings_7d: 0, dismissed_7d: 1 },
        ]),
      );
    });

    it('is counted, and so are the rounds that find it', async () => {
      const read = async (): Promise<Map<string, number>> => {
        const { text } = await app.request().get('/metrics').expect(200);
        return new Map(
          [...text.matchAll(/^(sentinel_\S+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
        );
      };
      const before = await read();
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      await sentinel.act(id, 'dismiss', { reason: 'wrong' });
      const after = await read();
      const counted = [
        ['sentinel_rounds_total{outcome="done"}', 1],
        ['sentinel_buckets_total{outcome="judged"}', 1],
        // The project and its one type.
        ['sentinel_series_total', 2],
        ['sentinel_delay_seconds_count', 1],
        ['sentinel_findings_total{kind="rate_spike",move="open"}', 1],
        ['sentinel_dismissals_total{reason="wrong"}', 1],
        ['sentinel_profiles_total', 1],
      ] as const;
      expect(counted.map(([name]) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)])).toEqual(counted);
      const told = readFileSync('docs/operations.md', 'utf8');
      const names = [...after.keys()].map((name) => name.replace(/(_bucket|_sum|_count)?(\{.*)?$/, ''));
      expect([...new Set(names)].filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
    });

    it('is found by the search of the project, by title, kind and series', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id, title, summary, started_at: begun }] = await sentinel.findings();
      const found = async (q: string, actor: Owner = owner): Promise<Json[]> =>
        (
          await sentinel.send(
            'get',
            `/v1/search?project_id=${actor.projectId}&type=finding&q=${encodeURIComponent(q)}`,
            undefined,
            actor,
          )
        ).body.items;
      const item = { type: 'finding', id, title, subtitle: summary, timestamp: begun };
      expect(await found('spike of EVENTS')).toEqual([{ ...item, matched: { field: 'title', text: title }, score: 1 }]);
      expect(await found('rate_spike')).toMatchObject([{ ...item, matched: { field: 'kind' }, score: 1 }]);
      expect(await found(id)).toMatchObject([{ ...item, matched: { field: 'id' }, score: 0.9 }]);
      expect(await found('expected')).toEqual([]);
      expect(await found('spike', await ownerWithProject(app))).toEqual([]);
    });

    it.each([
      'findings?project_id=x',
      'findings?project_id=P&status=closed',
      'findings?project_id=P&kind=spike',
      'findings?project_id=P&limit=101',
      'findings?project_id=P&from_ts=2026-01-02T00:00:00Z&to_ts=2026-01-01T00:00:00Z',
      'findings/x',
      'overview',
      'workers',
    ])('%s is refused', async (path) => {
      const answer = await sentinel.send('get', `/v1/sentinel/${path.replace('P', owner.projectId)}`);
      expect([answer.status, Array.isArray(answer.body.detail)]).toEqual([422, true]);
    });

    it('refuses notes that are too long and reasons that are none', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      for (const body of [
        {},
        { reason: 'x' },
        { reason: 'wrong', note: 'n'.repeat(1_001) },
        { reason: 'wrong', mute_hours: 721 },
      ]) {
        expect((await sentinel.act(id, 'dismiss', body)).status).toBe(422);
      }
      expect((await sentinel.act(id, 'acknowledge', { note: 'n'.repeat(1_001) })).status).toBe(422);
      expect((await sentinel.finding(id)).status).toBe('open');
      expect(
        (await sentinel.act(id, 'dismiss', { reason: 'wrong', note: 'n'.repeat(1_000), mute_hours: 0 })).status,
      ).toBe(200);
    });

    it('tells of the workers by their last runs', async () => {
      const { body } = await sentinel.send('get', `/v1/sentinel/workers?project_id=${owner.projectId}`);
      expect(body.map(({ name }: Json) => name)).toEqual([
        'alert-deliveries',
        'delivery-retries',
        'hour-rollups',
        'maintenance',
        'rule-evaluations',
        'sentinel',
      ]);
      expect(body.every(({ interval_seconds: seconds }: Json) => seconds > 0)).toBe(true);
      const at = new Date();
      await app.rows('DELETE FROM job_runs');
      await app.rows(
        `INSERT INTO job_runs (name, last_run_at, last_duration_ms, last_error)
         VALUES ('sentinel', $1, 12, NULL), ('hour-rollups', $1, 34, 'a secret of somebody'), ('maintenance', $1, 999999999, NULL)`,
        [at],
      );
      const ran = await sentinel.send('get', `/v1/sentinel/workers?project_id=${owner.projectId}`);
      const of = (name: string): Json => ran.body.find((one: Json) => one.name === name);
      const run = { last_run_at: at.toISOString(), lag_seconds: 0, due: null };
      expect(of('sentinel')).toEqual({
        ...run,
        ...{ name: 'sentinel', state: 'healthy', last_duration_ms: 12, interval_seconds: 60, due: expect.any(Number) },
      });
      expect(of('hour-rollups')).toMatchObject({ state: 'failed', last_duration_ms: 34 });
      expect(of('maintenance')).toMatchObject({ state: 'degraded', last_duration_ms: 999_999_999 });
      expect(of('delivery-retries')).toMatchObject({ last_run_at: null, last_duration_ms: null });
      expect(ran.text).not.toContain('secret');
    });
  });
});
